import type { Clock, Logger } from "../../base/mod.ts";
import type { ResourceQuota } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { CountedKind } from "./evaluators.ts";

/** The inputs and clients of a sync. */
export interface QuotaContext {
  readonly world: { readonly clock: Clock; readonly log: Logger };
  readonly client: Pick<Client, "updateStatus">;
  readonly quotas: Pick<Lister<ResourceQuota>, "get">;
  readonly evaluators: { readonly all: Iterable<CountedKind> };
}
