import type { PersistentVolumeClaim, Pod } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { CreationMetrics } from "./metrics.ts";

/** The inputs and clients of a sync. */
export interface EphemeralContext {
  readonly client: Pick<Client, "create">;
  readonly recorder: EventRecorder;
  readonly pods: Pick<Lister<Pod>, "get">;
  readonly claims: Pick<Lister<PersistentVolumeClaim>, "get">;
  readonly metrics: CreationMetrics;
}
