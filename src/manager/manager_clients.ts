import type { Client, ClientBuilder } from "../client/mod.ts";
import type { GroupAccess } from "./groups/mod.ts";

/** How a manager process reaches its API server. */
export interface ManagerClients {
  /** Clients of the controllers; their writes pass `fence`. */
  readonly controllers: ClientBuilder;
  /** The election's own client: own connections, own rate limit, so that controllers cannot starve a renewal. */
  readonly election: Client;
  /** For threads of controllers. */
  readonly access: GroupAccess;
  readonly server: string;
  /** Takes whole lines of the log of such threads, each with its line break; throws nothing. */
  log(line: string): void;
}
