import type { JsonObject } from "../base/mod.ts";
import type { Owner } from "./owners.ts";
import type { Shape } from "../schema/mod.ts";

export interface Application {
  /** What the applier wants, as sent. */
  readonly wanted: JsonObject;
  /**
   * The present object in the applied version, without managedFields; for a new object, the fields that every one has.
   */
  readonly live: JsonObject;
  readonly empty: JsonObject;
  readonly owners: readonly Owner[];
  readonly shape: Shape;
  readonly force: boolean;
  readonly subresource: string;
}
