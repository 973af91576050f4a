import type { Client, ClientBuilder, Transport } from "../client/mod.ts";

/** How a manager process reaches its API server. */
export interface ManagerClients {
  /** Clients of the controllers; their writes pass `fence`. */
  readonly controllers: ClientBuilder;
  /** The election's own client: own connections, own rate limit, so that controllers cannot starve a renewal. */
  readonly election: Client;
  /** What the controllers' client of that name sends through, for threads that have no network of their own. */
  transport(client: string): Transport;
  readonly server: string;
  /** Takes whole lines of the log of such threads. */
  log(line: string): void;
}
