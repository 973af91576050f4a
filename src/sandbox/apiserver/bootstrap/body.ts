import type { ObjectMeta } from "../../../api/mod.ts";

/** An object to create, as a request would send it. */
export interface Body {
  readonly metadata: Readonly<ObjectMeta>;
  readonly [field: string]: unknown;
}

/** Objects by collection. */
export type Bodies = ReadonlyArray<readonly [collection: string, bodies: readonly Body[]]>;
