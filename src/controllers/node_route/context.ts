import type { Node } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { Routes } from "../../cloud/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { Cidr } from "../address_ranges/mod.ts";

/** The inputs and clients of a pass. */
export interface RouteContext {
  readonly world: World;
  readonly client: Pick<Client, "patchMetadata">;
  readonly nodes: Pick<Lister<Node>, "list">;
  readonly recorder: EventRecorder;
  readonly routes: Routes;
  readonly clusterName: string;
  /** The ranges whose routes this controller manages. */
  readonly clusterRanges: readonly Cidr[];
  /** Counts a pass. */
  onPass(): void;
}
