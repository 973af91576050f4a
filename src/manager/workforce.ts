import type { MetricsRegistry, World } from "../base/mod.ts";
import type { ControllerDescriptor, Supplies } from "../controllers/mod.ts";
import type { SharedFence } from "../election/mod.ts";
import type { GroupLimits } from "./groups/mod.ts";
import type { Health } from "./health.ts";
import type { ManagerClients } from "./manager_clients.ts";
import type { ManagerOptions } from "./options.ts";
import type { Ask } from "./questions.ts";

/** Options of {@link Workforce}. */
export interface WorkforceOptions {
  readonly world: World;
  readonly options: ManagerOptions;
  /** The rows of the controllers to run. */
  readonly rows: readonly ControllerDescriptor[];
  /** Supplies for their needs. */
  readonly supplies: Supplies;
  readonly clients: ManagerClients;
  readonly metrics: MetricsRegistry;
  readonly health: Health;
  /** Open while this process may write. */
  readonly fence: SharedFence;
  /** The current log verbosity. */
  verbosity(): number;
  /** When a group is restarted; by default after half a minute without a response, and before its heap is full. */
  readonly limits?: GroupLimits;
}

/**
 * The controllers of a process, in one thread or in several.
 *
 * Contract:
 * 1. `run` fills the caches; controllers work from `lead` on.
 * 2. `run` resolves with whether all ended well: after its signal aborted, once what was under way is finished.
 * 3. After `end` nothing is waited for.
 */
export interface Workforce {
  run(signal: AbortSignal): Promise<boolean>;
  lead(): void;
  end(): void;
  /** Resolves once the controllers are built and may work. */
  readonly started: Promise<void>;
  /** Asks the controllers' threads. Metrics are only those that are not in the process's own registry. */
  readonly ask: Ask;
  /** Frees memory for this reason. @returns Whether any could be freed. Absent if there are no other threads. */
  relieve?(reason: string): boolean;
  /** Sets the log verbosity of its threads; absent if it has none. */
  setVerbosity?(verbosity: number): void;
}
