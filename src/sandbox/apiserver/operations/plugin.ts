import type { KubeObject, StatusCause } from "../../../api/mod.ts";
import { type ApiError, forbidden } from "../base/mod.ts";
import type { Operation } from "./operation.ts";
import type { Stored } from "../traits/mod.ts";

/**
 * What happens to an object, and through which subresource. `create/subresource` makes something of it: a binding, an eviction, a
 * token.
 */
export type Moment = "create" | "create/subresource" | "update" | `update/${string}` | "delete";

/**
 * One write on its way into the store. Upstream: `apiserver/pkg/admission/interfaces.go` (Attributes).
 *
 * @typeParam T The kind.
 */
export interface Admission<T extends KubeObject = KubeObject> {
  readonly operation: Operation;
  readonly moment: Moment;
  /** May be changed by `admit`, not by `validate`. Only its name where it is not what is written. */
  readonly object: Stored<T>;
  /** Frozen; of updates and deletions. */
  readonly old?: Stored<T>;
}

/** What has to be written together with the object, once it is certain that it will be stored. */
export type Commit = () => void;

/**
 * A row of the table of plugins: what one of them does to one kind.
 *
 * @typeParam T The kind.
 */
export interface Rule<T extends KubeObject = KubeObject> {
  /** Upstream's name for it. */
  readonly plugin: string;
  /** `plural.group`, or {@link EVERY_KIND}. */
  readonly of: string;
  readonly at: readonly Moment[] | typeof EVERY_MOMENT;
  /** Fills in or refuses, before the object is validated. */
  admit?(admission: Admission<T>): void;
  /** Refuses, or says what comes with it, after the object was found valid. */
  validate?(admission: Admission<T>): Commit | void;
}

export const EVERY_KIND = "*";
export const EVERY_MOMENT = "*";

/** The plugin's no: 403, naming the object as it is called at that time. Upstream: `admission/errors.go` (NewForbidden). */
export function refusal(admission: Admission, why: string, causes?: readonly StatusCause[]): ApiError {
  const { name, generateName } = admission.object.metadata;
  return forbidden(admission.operation.served, name || generateName || "Unknown", why, causes);
}
