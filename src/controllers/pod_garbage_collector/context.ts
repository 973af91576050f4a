import type { World } from "../../base/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { Journal } from "../running/mod.ts";
import type { DeletionMetrics } from "./metrics.ts";

/** The context for deleting pods. */
export interface DeletionContext {
  /** The controller's name in `--controllers`. */
  readonly name: string;
  readonly world: World;
  readonly journal: Journal;
  readonly client: Pick<Client, "patch" | "delete">;
  readonly metrics: DeletionMetrics;
}
