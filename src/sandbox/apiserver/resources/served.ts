import type { CustomResourceDefinitionVersion, Resource } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import type { CustomVersion, ScalePaths } from "../custom/mod.ts";
import type { StructType } from "../schema/mod.ts";
import type { FeatureGates, Traits } from "../traits/mod.ts";

/** A subresource: its body and its verbs. */
export interface ServedSubresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** Converts between a served version and the stored form of a kind. */
export interface Conversion {
  toStorage(object: StoredObject): StoredObject;
  fromStorage(object: StoredObject): StoredObject;
}

/** A served version of a kind: a row of the resource table. */
export interface ServedResource extends Resource {
  readonly verbs: readonly string[];
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly served: ReadonlyMap<string, ServedSubresource>;
  /** For example `deployments.apps`: the collection that stores the kind, shared by its versions. */
  readonly collection: string;
  /** Absent for custom resources, which have no Go type. */
  readonly struct?: StructType;
  /** The stored type, if {@link conversion} makes it differ from {@link struct}. */
  readonly storageStruct?: StructType;
  readonly conversion?: Conversion;
  readonly traits: Traits;
  /** Features that are on, for built-in resources that depend on them. */
  readonly gates: FeatureGates;
  /** The warning for clients if the version is deprecated. */
  readonly deprecation?: string;
  /** Set for custom resources. */
  readonly custom?: {
    readonly version: CustomVersion;
    readonly hasStatus: boolean;
    readonly scale?: ScalePaths;
    readonly selectableFields: readonly string[];
    readonly printerColumns?: CustomResourceDefinitionVersion["additionalPrinterColumns"];
    /** Whether the definition is being deleted, so that no objects can be created. */
    readonly isTerminating: boolean;
    /** The warning for clients if the version is deprecated. */
    readonly deprecation?: string;
  };
}
