import type { MetricsRegistry, World } from "../base/mod.ts";
import type { CloudAccess } from "./cloud/mod.ts";
import type { EndpointClients } from "./endpoint/mod.ts";
import type { GroupLimits, GroupThread } from "./groups/mod.ts";
import type { LeaderMigration } from "./controller_leaders.ts";
import type { ManagerClients } from "./manager_clients.ts";
import type { ManagerOptions } from "./options.ts";
import type { FileOrigin } from "./supplies/mod.ts";
import type { Supervisor } from "./supervision.ts";

/** Options of a process that runs controllers. */
export interface ManagerProcessOptions {
  readonly world: World;
  readonly options: ManagerOptions;
  /**
   * Makes the clients, which count their requests in `metrics`. `mayWrite` is called immediately before the bytes of
   * each of the controllers' requests are sent; once it returns `false`, nothing more is written.
   */
  clients(mayWrite: () => boolean, metrics: MetricsRegistry): ManagerClients;
  /** Locates the file that a flag names. */
  file(flag: string): FileOrigin;
  /** Identifies the process in the lease; unique per start. */
  readonly identity: string;
  /** How clouds are reached; required if the program has a cloud provider. */
  readonly cloud?: CloudAccess;
  /** The leader migration's controllers and lease; absent if it is not enabled. */
  readonly migration?: LeaderMigration;
  /** Starts a thread for a group of controllers, which may reach only `address`, if given. */
  spawn(group: string, address?: string): GroupThread;
  /** When such a thread is terminated and restarted; generous by default. */
  readonly limits?: GroupLimits;
  /** Is told this process's state, if there is a supervisor. */
  readonly supervisor?: Supervisor;
  /** The clients with which the endpoint asks the API server to authenticate and authorize requests. */
  readonly endpointClients: EndpointClients;
  /** Sets the log verbosity. */
  setVerbosity(verbosity: number): void;
}
