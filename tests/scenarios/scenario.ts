import type { Kit } from "./kit.ts";

/** What a user does and what must come of it, on any server and under either manager. */
export interface Scenario {
  readonly name: string;
  /** Acts, and waits until all has settled. */
  run(kit: Kit): Promise<void>;
  /** Why events are left out of the comparison, where the order of steps depends on timing. */
  readonly eventsDiffer?: string;
}
