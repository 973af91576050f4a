import type { MetricsRegistry, World } from "../base/mod.ts";
import type { ControllerDescriptor, Supplies } from "../controllers/mod.ts";
import type { SharedFence } from "../election/mod.ts";
import type { GroupLimits } from "./groups/mod.ts";
import type { Health } from "./health.ts";
import type { ManagerClients } from "./manager_clients.ts";
import type { ManagerOptions } from "./options.ts";
import type { Ask } from "./questions.ts";

/** What a {@link Workforce} works with. */
export interface WorkforceOptions {
  readonly world: World;
  readonly options: ManagerOptions;
  /** Of the controllers that run. */
  readonly rows: readonly ControllerDescriptor[];
  /** What they declare. */
  readonly supplies: Supplies;
  readonly clients: ManagerClients;
  readonly metrics: MetricsRegistry;
  readonly health: Health;
  /** Open for as long as this process may write. */
  readonly fence: SharedFence;
  /** How much is logged at present. */
  verbosity(): number;
  /** When a group is started anew; by default after half a minute without a turn, and before its heap is full. */
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
  /** Asks the threads of the controllers. Of metrics: only those that are not in the process's own registry. */
  readonly ask: Ask;
  /** Frees memory for this reason, and answers whether there was any; absent where there are no other threads. */
  relieve?(reason: string): boolean;
  /** Changes how much threads of its own log; absent where there are none. */
  setVerbosity?(verbosity: number): void;
}
