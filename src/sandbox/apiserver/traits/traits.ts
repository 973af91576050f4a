import type { KubeObject, ObjectMeta } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import type { FeatureGates } from "./feature_gates.ts";
import type { Environment } from "./environment.ts";
import type { User } from "../access/mod.ts";
import type { Subject } from "../base/mod.ts";
import type { FieldErrors, MetadataRules } from "../validation/mod.ts";

/** Any kind, with metadata present. */
export type Stored<T extends KubeObject> = T & { metadata: ObjectMeta };

/** What a rule may know of the write it runs in. */
export interface WriteContext {
  readonly state: Environment;
  /** The resource, as messages name it. */
  readonly served: Subject;
  readonly user: User;
  /** Nothing will be stored: nothing else may change either. */
  readonly dryRun?: boolean;
}

/**
 * What sets a kind apart from plain storage. Everything is optional: a kind without a row is stored by the generic rules.
 * Upstream has one strategy package per kind (`pkg/registry/<group>/<kind>/strategy.go`).
 *
 * @typeParam T The stored type.
 */
export interface Traits<T extends KubeObject = StoredObject> extends MetadataRules {
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
  /** An update of the main resource may set status, although it has a subresource. */
  readonly keepsStatusOnUpdate?: boolean;
  /** A write to /status changes nothing of the metadata. Upstream: ResetObjectMetaForStatus. */
  readonly keepsMetadataOnStatus?: boolean;
  /** Additional finalizers, given at creation. */
  readonly finalizers?: readonly string[];
  /** Additional finalizers, given when the object is marked as being deleted. */
  readonly finalizersOnDelete?: readonly string[];
  /** The field of which the bytes are kept as they came. */
  readonly verbatim?: string;
  /** The parts whose change raises `metadata.generation`; absent for kinds that have none. */
  generation?(object: Stored<T>): unknown;
  /** Fills in what was left out, and drops what features that are off would need. Must be idempotent: it runs on every write. */
  defaults?(object: Stored<T>, gates: FeatureGates, state: Pick<Environment, "world">): void;
  /** After defaulting and admission, before validation. */
  prepareCreate?(object: Stored<T>, context: WriteContext): void;
  /** As `prepareCreate`, for writes to the main resource; `old` is frozen. */
  prepareUpdate?(object: Stored<T>, old: Stored<T>, context: WriteContext): void;
  /** As `prepareUpdate`, for writes to /status. */
  prepareStatus?(object: Stored<T>, old: Stored<T>, context: WriteContext): void;
  /** On create and on update of the main resource, where `old` is what is replaced. Metadata is checked besides. */
  validate?(object: Stored<T>, errors: FieldErrors, old?: Stored<T>): void;
  /** On create alone. */
  validateCreate?(object: Stored<T>, errors: FieldErrors): void;
  /** On update of the main resource alone. */
  validateUpdate?(object: Stored<T>, old: Stored<T>, errors: FieldErrors): void;
  validateStatus?(object: Stored<T>, old: Stored<T>, errors: FieldErrors, context: WriteContext): void;
  /** What the writer should know although the write is right; `old` is undefined for a creation. */
  warnings?(object: Stored<T>, old: Stored<T> | undefined): readonly string[];
  /** As `warnings`, for writes to /status. */
  statusWarnings?(object: Stored<T>, old: Stored<T>): readonly string[];
  /** When the object is marked as being deleted. */
  prepareDelete?(object: Stored<T>, context: WriteContext): void;
  /** What besides metadata.finalizers keeps a terminating object. */
  blocksRemoval?(object: Stored<T>): boolean;
  /** After a create or an update of the main resource was stored; `old` is undefined for a creation. Not for a dry run. */
  afterWrite?(object: Stored<T>, old: Stored<T> | undefined, context: WriteContext): void;
  /** After the object was removed. */
  afterDelete?(object: Stored<T>, context: WriteContext): void;
}
