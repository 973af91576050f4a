import type { Client, ClientBuilder } from "../client/mod.ts";
import type { GroupAccess } from "./groups/mod.ts";

/** How a manager process reaches its API server. */
export interface ManagerClients {
  /** The controllers' clients; their writes pass the fence. */
  readonly controllers: ClientBuilder;
  /**
   * The election's own client, with its own connections and rate limit, so that controllers cannot starve a renewal.
   */
  readonly election: Client;
  /** For the controllers' threads. */
  readonly access: GroupAccess;
  readonly server: string;
  /** Writes whole log lines of these threads, each with its line break; never throws. */
  log(line: string): void;
}
