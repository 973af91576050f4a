import type { KubeObject, ObjectMeta } from "../../api/mod.ts";
import type { StoredObject } from "../storage/mod.ts";
import type { Environment, User } from "./environment.ts";
import type { Subject } from "./errors.ts";
import type { FieldErrors } from "./validation/field_errors.ts";

/** Any kind, with metadata present. */
export type Stored<T extends KubeObject> = T & { metadata: ObjectMeta };

/** What a rule may know of the write it runs in. */
export interface WriteContext {
  readonly state: Environment;
  /** The resource, as messages name it. */
  readonly served: Subject;
  readonly user: User;
}

/**
 * What sets a kind apart from plain storage. Everything is optional: a kind without a row is stored by the generic rules.
 * Upstream has one strategy package per kind (`pkg/registry/<group>/<kind>/strategy.go`).
 *
 * @typeParam T The stored type.
 */
export interface Traits<T extends KubeObject = StoredObject> {
  /** What names look like; a DNS subdomain by default. */
  readonly names?: "subdomain" | "label" | "dns1035" | "path";
  /** The longest name, in characters, where it is shorter than the rule for names allows. */
  readonly longestName?: number;
  /** PUT creates the object if it is missing. */
  readonly createsOnUpdate?: boolean;
  /** An update must say which resourceVersion it replaces. */
  readonly needsResourceVersion?: boolean;
  /** DELETE answers with the object instead of a Status. */
  readonly answersDeleted?: boolean;
  /** Dependents are orphaned unless the request says otherwise. */
  readonly orphansByDefault?: boolean;
  /** Deletion waits for a grace period, as pods' does. */
  readonly isGraceful?: boolean;
  /** Never gets finalizers from a propagation policy. */
  readonly ignoresPropagation?: boolean;
  /** A create may set status, although it has a subresource. */
  readonly keepsStatusOnCreate?: boolean;
  /** Additional finalizers, given at creation. */
  readonly finalizers?: readonly string[];
  /** Additional finalizers, given when the object is marked as being deleted. */
  readonly finalizersOnDelete?: readonly string[];
  /** The parts whose change raises `metadata.generation`; absent for kinds that have none. */
  generation?(object: Stored<T>): unknown;
  /** Fills in what was left out. Must be idempotent: it runs on every write. */
  defaults?(object: Stored<T>): void;
  /** After defaulting and admission, before validation. */
  prepareCreate?(object: Stored<T>, context: WriteContext): void;
  /** As `prepareCreate`, for writes to the main resource; `old` is frozen. */
  prepareUpdate?(object: Stored<T>, old: Stored<T>, context: WriteContext): void;
  /** As `prepareUpdate`, for writes to /status. */
  prepareStatus?(object: Stored<T>, old: Stored<T>, context: WriteContext): void;
  /** On create and on update of the main resource. */
  validate?(object: Stored<T>, errors: FieldErrors): void;
  validateUpdate?(object: Stored<T>, old: Stored<T>, errors: FieldErrors): void;
  validateStatus?(object: Stored<T>, old: Stored<T>, errors: FieldErrors): void;
  /** When the object is marked as being deleted. */
  prepareDelete?(object: Stored<T>, context: WriteContext): void;
  /** What besides metadata.finalizers keeps a terminating object. */
  blocksRemoval?(object: Stored<T>): boolean;
  /** After the object was removed. */
  afterDelete?(object: Stored<T>, context: WriteContext): void;
}
