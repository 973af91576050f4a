import type { KubeObject, StatusCause } from "../../../api/mod.ts";
import { type ApiError, forbidden } from "../base/mod.ts";
import type { Operation } from "./operation.ts";
import type { Stored } from "../traits/mod.ts";

/**
 * What happens to an object, and through which subresource. `create/subresource` creates something for it: a binding,
 * an eviction, a token.
 */
export type Moment = "create" | "create/subresource" | "update" | `update/${string}` | "delete";

/**
 * A write before it is stored. Upstream: `apiserver/pkg/admission/interfaces.go` (Attributes).
 *
 * @typeParam T The kind.
 */
export interface Admission<T extends KubeObject = KubeObject> {
  readonly operation: Operation;
  readonly moment: Moment;
  /** `admit` may change it, `validate` may not. Has only a name if it is not itself written. */
  readonly object: Stored<T>;
  /** Frozen; present for updates and deletions. */
  readonly old?: Stored<T>;
}

/** Makes the writes that belong to an object's, once it is certain to be stored. */
export type Commit = () => void;

/**
 * A row of the table of plugins: what a plugin does to a kind.
 *
 * @typeParam T The kind.
 */
export interface Rule<T extends KubeObject = KubeObject> {
  /** The plugin's name upstream. */
  readonly plugin: string;
  /** `plural.group`, or {@link EVERY_KIND}. */
  readonly of: string;
  readonly at: readonly Moment[] | typeof EVERY_MOMENT;
  /** Sets fields or refuses, before validation. */
  admit?(admission: Admission<T>): void;
  /** Refuses, or returns what to write together with the object, after validation. */
  validate?(admission: Admission<T>): Commit | void;
}

export const EVERY_KIND = "*";
export const EVERY_MOMENT = "*";

/** A refusal by the plugin: 403, with the object's current name. Upstream: `admission/errors.go` (NewForbidden). */
export function refusal(admission: Admission, why: string, causes?: readonly StatusCause[]): ApiError {
  const { name, generateName } = admission.object.metadata;
  return forbidden(admission.operation.served, name || generateName || "Unknown", why, causes);
}
