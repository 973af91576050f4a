import type { Client } from "../../../src/client/mod.ts";

/** Objects as large as the API server admits, made to hold one controller up. */
export interface PauseLoad {
  readonly name: string;
  /** Makes them in `namespace`; the manager works on them meanwhile, and for some seconds after. */
  run(client: Client, namespace: string): Promise<void>;
}
