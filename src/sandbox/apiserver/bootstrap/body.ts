import type { ObjectMeta } from "../../../api/mod.ts";

/** An object to be made, as it would be sent. */
export interface Body {
  readonly metadata: Readonly<ObjectMeta>;
  readonly [field: string]: unknown;
}
