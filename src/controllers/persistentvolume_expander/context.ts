import type { PersistentVolume, PersistentVolumeClaim } from "../../api/mod.ts";
import type { Clock, Histogram } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";

/** The inputs and clients of a sync. */
export interface ExpanderContext {
  readonly clock: Clock;
  readonly client: Pick<Client, "get" | "patch">;
  readonly recorder: Pick<EventRecorder, "event">;
  readonly claims: Pick<Lister<PersistentVolumeClaim>, "get">;
  readonly times: Pick<Histogram, "observe">;
}

/** A claim as the cache has it, and its volume as the API server has it. */
export interface BoundClaim {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
}
