import type { CustomResourceDefinitionVersion, Resource } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import type { CustomVersion, ScalePaths } from "../custom/mod.ts";
import type { StructType } from "../schema/mod.ts";
import type { Traits } from "../traits/mod.ts";

/** A subresource: what its body is and what can be done with it. */
export interface ServedSubresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** Translates between a served version and the form in which a kind is stored. */
export interface Conversion {
  toStorage(object: StoredObject): StoredObject;
  fromStorage(object: StoredObject): StoredObject;
}

/** One version of a kind as this server serves it: a row of the resource table. */
export interface ServedResource extends Resource {
  readonly verbs: readonly string[];
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly served: ReadonlyMap<string, ServedSubresource>;
  /** `deployments.apps`; the name of the collection that stores it, shared by the versions of a kind. */
  readonly collection: string;
  /** Absent for custom resources, which have no Go type. */
  readonly struct?: StructType;
  /** The type of the stored form, where {@link conversion} makes it differ from {@link struct}. */
  readonly storageStruct?: StructType;
  readonly conversion?: Conversion;
  readonly traits: Traits;
  /** What clients are told if the version is deprecated. */
  readonly deprecation?: string;
  /** Set for custom resources. */
  readonly custom?: {
    readonly version: CustomVersion;
    readonly hasStatus: boolean;
    readonly scale?: ScalePaths;
    readonly selectableFields: readonly string[];
    readonly printerColumns?: CustomResourceDefinitionVersion["additionalPrinterColumns"];
    /** Whether their definition is being deleted: no new ones then. */
    readonly isTerminating: boolean;
    /** What clients are told if the version is deprecated. */
    readonly deprecation?: string;
  };
}
