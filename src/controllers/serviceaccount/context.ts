import type { Namespace, ServiceAccount } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";

/** The requests that the ServiceAccount controller makes to the API server. */
export type AccountClient = Pick<Client, "create">;

/** The inputs and clients of a sync. */
export interface AccountContext {
  readonly client: AccountClient;
  readonly namespaces: Pick<Lister<Namespace>, "get">;
  readonly accounts: Pick<Lister<ServiceAccount>, "get">;
  /** Names of the accounts that every Active namespace must have. */
  readonly ensured: readonly string[];
}
