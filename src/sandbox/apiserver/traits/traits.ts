import { formatTime, type KubeObject, type ObjectMeta } from "../../../api/mod.ts";
import type { World } from "../../../base/mod.ts";
import type { Store, StoredObject } from "../../storage/mod.ts";
import type { FeatureGates } from "./feature_gates.ts";
import type { Authorizer, User } from "../access/mod.ts";
import type { Subject } from "../base/mod.ts";
import type { FieldErrors, MetadataRules } from "../validation/mod.ts";

/** Options with defaults. */
export interface ServerOptions {
  /** The range of Services' addresses. */
  readonly serviceCidr: string;
  /** Whether writers are recorded in `metadata.managedFields`. */
  readonly managedFields: boolean;
  /** How many events a watch may lag behind before it is closed. */
  readonly watchBufferEvents: number;
}

/** The parts of the server's state that the rules of kinds may use. */
export interface Environment extends Authorizer {
  readonly world: World;
  readonly store: Store;
  readonly options: ServerOptions;
  readonly gates: FeatureGates;
}

/** The present time in objects' format, in whole seconds. */
export function nowText({ world }: Pick<Environment, "world">): string {
  return formatTime(world.clock.wallMs());
}

/** Any kind, with metadata present. */
export type Stored<T extends KubeObject> = T & { metadata: ObjectMeta };

/** What a rule may know about the write. */
export interface WriteContext {
  readonly state: Environment;
  /** The resource as messages name it. */
  readonly served: Subject;
  readonly user: User;
  /** Nothing is stored, so rules must not change anything else either. */
  readonly dryRun?: boolean;
}

/**
 * What distinguishes a kind from plain storage. Everything is optional; a kind without a row is stored by the generic
 * rules.
 * Upstream has one strategy package per kind (`pkg/registry/<group>/<kind>/strategy.go`).
 *
 * @typeParam T The stored type.
 */
export interface Traits<T extends KubeObject = StoredObject> extends MetadataRules {
  /** PUT creates the object if it is missing. */
  readonly createsOnUpdate?: boolean;
  /** An update must say which resourceVersion it replaces. */
  readonly needsResourceVersion?: boolean;
  /** DELETE responds with the object instead of a Status. */
  readonly answersDeleted?: boolean;
  /** Dependents are orphaned unless the request says otherwise. */
  readonly orphansByDefault?: boolean;
  /** Deletion has a grace period, as for pods. */
  readonly isGraceful?: boolean;
  /** A propagation policy never adds finalizers. */
  readonly ignoresPropagation?: boolean;
  /** A create may set status, although it has a subresource. */
  readonly keepsStatusOnCreate?: boolean;
  /** An update of the main resource may set status, although it has a subresource. */
  readonly keepsStatusOnUpdate?: boolean;
  /** A write to /status does not change metadata. Upstream: ResetObjectMetaForStatus. */
  readonly keepsMetadataOnStatus?: boolean;
  /** Finalizers to add at creation. */
  readonly finalizers?: readonly string[];
  /** Finalizers to add when the object is marked as being deleted. */
  readonly finalizersOnDelete?: readonly string[];
  /** The paths of fields that an update of the main resource cannot change. */
  readonly immutable?: readonly string[];
  /** The field whose bytes are kept as sent. */
  readonly verbatim?: string;
  /** The parts whose changes increase `metadata.generation`; absent for kinds without one. */
  generation?(object: Stored<T>): unknown;
  /** Sets defaults, and drops fields of disabled features. Must be idempotent, since it runs on every write. */
  defaults?(object: Stored<T>, gates: FeatureGates, state: Pick<Environment, "world">): void;
  /** After defaulting and admission, before validation. */
  prepareCreate?(object: Stored<T>, context: WriteContext): void;
  /** Like `prepareCreate`, for writes to the main resource; `old` is frozen. */
  prepareUpdate?(object: Stored<T>, old: Stored<T>, context: WriteContext): void;
  /** Like `prepareUpdate`, for writes to /status. */
  prepareStatus?(object: Stored<T>, old: Stored<T>, context: WriteContext): void;
  /**
   * On create and on update of the main resource; then `old` is the replaced object. Metadata is validated separately.
   */
  validate?(object: Stored<T>, errors: FieldErrors, old?: Stored<T>): void;
  /** Only on create. */
  validateCreate?(object: Stored<T>, errors: FieldErrors): void;
  /** Only on update of the main resource. */
  validateUpdate?(object: Stored<T>, old: Stored<T>, errors: FieldErrors): void;
  validateStatus?(object: Stored<T>, old: Stored<T>, errors: FieldErrors, context: WriteContext): void;
  /** Warnings about a valid write; `old` is undefined for a create. */
  warnings?(object: Stored<T>, old: Stored<T> | undefined): readonly string[];
  /** When the object is marked as being deleted. */
  prepareDelete?(object: Stored<T>, context: WriteContext): void;
  /** What keeps a terminating object besides metadata.finalizers. */
  blocksRemoval?(object: Stored<T>): boolean;
  /**
   * After a create or an update of the main resource is stored, but not for a dry run; `old` is undefined for a create.
   */
  afterWrite?(object: Stored<T>, old: Stored<T> | undefined, context: WriteContext): void;
  /** After the object was removed. */
  afterDelete?(object: Stored<T>, context: WriteContext): void;
}
