import type { MetricsRegistry, World } from "../base/mod.ts";
import type { CloudAccess } from "./cloud/mod.ts";
import type { EndpointClients } from "./endpoint/mod.ts";
import type { GroupLimits, GroupThread } from "./groups/mod.ts";
import type { LeaderMigration } from "./controller_leaders.ts";
import type { ManagerClients } from "./manager_clients.ts";
import type { ManagerOptions } from "./options.ts";
import type { FileOrigin } from "./supplies/mod.ts";
import type { Supervisor } from "./supervision.ts";

/** What a process that runs controllers is given. */
export interface ManagerProcessOptions {
  readonly world: World;
  readonly options: ManagerOptions;
  /**
   * Makes the clients, which count their requests in `metrics`. `mayWrite` is asked right before the bytes of each request
   * of the controllers are sent; once it answers `false` nothing more is written.
   */
  clients(mayWrite: () => boolean, metrics: MetricsRegistry): ManagerClients;
  /** Where the file that a flag names is. */
  file(flag: string): FileOrigin;
  /** Distinguishes processes in the lease; unique per start. */
  readonly identity: string;
  /** How clouds are reached; needed where the program has a cloud provider. */
  readonly cloud?: CloudAccess;
  /** The controllers that move between programs, and the lease under which they do; absent where none may. */
  readonly migration?: LeaderMigration;
  /** Starts a thread for a group of controllers, which may reach that address if one is given. */
  spawn(group: string, address?: string): GroupThread;
  /** When such a thread is ended and started anew; generous by default. */
  readonly limits?: GroupLimits;
  /** Hears how this process is, if anybody does. */
  readonly supervisor?: Supervisor;
  /** As whom the endpoint asks the API server who sends a request, and what they may. */
  readonly endpointClients: EndpointClients;
  /** Sets how much is logged. */
  setVerbosity(verbosity: number): void;
}
