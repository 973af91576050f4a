import type { Pod, Secret, ServiceAccount } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { Journal } from "../running/mod.ts";

/** The requests that the cleaner makes to the API server. */
export type CleanerClient = Pick<Client, "get" | "patch" | "delete">;

/** The inputs and clients of a pass. */
export interface CleanerContext {
  /** Its name in `--controllers`. */
  readonly name: string;
  readonly world: World;
  readonly journal: Journal;
  readonly client: CleanerClient;
  readonly accounts: Pick<Lister<ServiceAccount>, "get">;
  /** Secrets with tokens of accounts. */
  readonly secrets: Pick<Lister<Secret>, "list">;
  readonly pods: Pick<Lister<Pod>, "list">;
  /** How long a token is kept unused, and then how long it is kept marked. */
  readonly cleanUpPeriodMs: number;
}
