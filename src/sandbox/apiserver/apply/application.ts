import type { JsonObject } from "../base/mod.ts";
import type { Owner } from "./owners.ts";
import type { Shape } from "../schema/mod.ts";

/** What is applied, and onto what. */
export interface Application {
  /** What the applier wants, as sent. */
  readonly wanted: JsonObject;
  /** The present object as the version has it, without managedFields; of a new object what every one has. */
  readonly live: JsonObject;
  /** An object of the kind without anything in it. */
  readonly empty: JsonObject;
  readonly owners: readonly Owner[];
  readonly shape: Shape;
  readonly force: boolean;
  readonly subresource: string;
}
