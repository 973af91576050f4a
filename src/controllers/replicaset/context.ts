import type { Histogram, TurnBudget, World } from "../../base/mod.ts";
import type { Pod } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import type { PodControl, UidExpectations } from "../pods/mod.ts";
import type { WriteGuard } from "../running/mod.ts";
import type { ReplicaKind, ReplicaOwner } from "./kind.ts";

/** The inputs and clients of a sync. */
export interface ReplicaContext<T extends ReplicaOwner> {
  readonly kind: ReplicaKind<T>;
  readonly world: World;
  readonly client: Pick<Client, "get" | "patch" | "updateStatus">;
  readonly podControl: PodControl;
  readonly owners: Pick<Lister<T>, "get">;
  /** Indexed by controller. */
  readonly pods: Pick<Indexer<Pod>, "byIndex">;
  readonly expectations: UidExpectations;
  readonly queue: Pick<WorkQueue, "addAfter">;
  /** Absent for the kind that upstream does not guard. */
  readonly guard?: WriteGuard;
  /** Related pods on the nodes of the owner's pods; only called when pods must be chosen for deletion. */
  readonly relatedPods: (owner: T, budget: TurnBudget) => Promise<readonly Pod[]>;
  readonly ageRatio: Histogram;
}
