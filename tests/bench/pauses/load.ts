import type { Client } from "../../../src/client/mod.ts";

/** Objects as large as the API server admits, made to hold one controller up. */
export interface PauseLoad {
  readonly name: string;
  /** How long the manager works on after they were made; default 6 s. */
  readonly afterMs?: number;
  /** Makes them in `namespace`; the manager works on them meanwhile. */
  run(client: Client, namespace: string): Promise<void>;
}
