import type { Endpoints, Pod, Service } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { TriggerTimes } from "../service_pods/mod.ts";
import type { SupersededVersions } from "./superseded_versions.ts";

/** The inputs and clients of a sync. */
export interface EndpointsContext {
  readonly world: World;
  readonly client: Pick<Client, "create" | "update" | "delete">;
  readonly recorder: EventRecorder;
  readonly services: Pick<Lister<Service>, "get">;
  readonly pods: Pick<Indexer<Pod>, "byIndex" | "countByIndex">;
  readonly endpoints: Pick<Lister<Endpoints>, "get">;
  readonly triggerTimes: Pick<TriggerTimes, "next" | "forget">;
  readonly superseded: Pick<SupersededVersions, "replaced" | "isSuperseded" | "forget">;
}
