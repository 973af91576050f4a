import { apiVersionOf, type CustomResourceDefinition, type CustomResourceDefinitionVersion } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { sortedCopy, type StructShape } from "../schema/mod.ts";
import { isObject } from "../base/mod.ts";
import { FieldErrors } from "../validation/mod.ts";
import { objectShape } from "./apply_shape.ts";
import { type Check, Findings, reportFindings } from "./checks.ts";
import { compileSchema } from "./compile.ts";
import { applyDefaults, dropNulls } from "./defaults.ts";
import { readEmbedded, readMetadata, validateEmbedded } from "./embedded.ts";
import { validateLists } from "./list_types.ts";
import { prune } from "./prune.ts";
import { type ScalePaths, validateScale } from "./scale_paths.ts";
import { isSettled } from "./settled.ts";
import { type Structural, structuralOf } from "./structural.ts";

/**
 * A compiled version of a definition: what its objects may hold, and how objects are shown in it.
 *
 * Contract:
 * 1. A schema is compiled once, however many objects are read, shown or checked.
 * 2. An object from `read` has no unknown fields and all defaults; reading it again changes nothing.
 * 3. `view` shows a stored object in this version, and returns the object itself if nothing differs.
 * 4. An error in the old object does not make an update invalid if the value has not changed.
 */
export class CustomVersion {
  readonly structural: Structural;
  /** The shape for server-side apply. */
  readonly shape: StructShape;
  readonly scale: ScalePaths | undefined;
  /** The paths of selectable fields, without leading dots. */
  readonly selectableFields: readonly string[];
  readonly #typeMeta: { readonly apiVersion: string; readonly kind: string };
  readonly #check: Check;
  readonly #checkStatus: Check | undefined;
  /** The structure of the storage version; `undefined` if it is this one. */
  readonly #storage: Structural | undefined;
  /** Stored objects in this version: themselves if nothing differs. */
  readonly #views = new WeakMap<StoredObject, StoredObject>();

  constructor({ spec }: CustomResourceDefinition, version: CustomResourceDefinitionVersion) {
    const schema = version.schema?.openAPIV3Schema ?? {};
    const storage = spec.versions.find((one) => one.storage);
    this.structural = structuralOf(schema);
    this.shape = objectShape(this.structural);
    this.scale = version.subresources?.scale;
    this.#typeMeta = { apiVersion: apiVersionOf({ group: spec.group, version: version.name }), kind: spec.names.kind };
    this.#check = compileSchema(schema);
    const status = schema.properties?.status;
    this.#checkStatus = version.subresources?.status && status ? compileSchema(status) : undefined;
    this.selectableFields = version.selectableFields?.map(({ jsonPath }) => jsonPath.replace(/^\./, "")) ?? [];
    if (storage && storage.name !== version.name) this.#storage = structuralOf(storage.schema?.openAPIV3Schema ?? {});
  }

  /**
   * Decodes the object in a request's body. Upstream: unstructuredSchemaCoercer and unstructuredDefaulter in
   * `apiserver/customresource_handler.go`.
   *
   * @param unknown Receives the paths of dropped fields.
   * @throws {DecodeError} If metadata is invalid.
   */
  read(body: Readonly<Record<string, unknown>>, unknown?: string[]): StoredObject {
    const strangers: string[] = [];
    const object = withMetadata(body, unknown);
    prune(object, this.structural, "", strangers);
    for (const path of strangers.sort()) unknown?.push(path); // too many to be arguments of one call
    dropNulls(object, this.structural);
    const embedded: string[] = [];
    readEmbedded(object, this.structural, "", embedded);
    for (const path of embedded.sort()) unknown?.push(path);
    applyDefaults(object, this.structural);
    return object;
  }

  /**
   * Adds all defaults to an object that was assembled here from decoded parts. Disallowed nulls stay, for validation to
   * find. Upstream: unstructuredDefaulter.
   *
   * @throws {DecodeError} If metadata is invalid.
   */
  complete(body: Readonly<Record<string, unknown>>): StoredObject {
    const object = withMetadata(body);
    applyDefaults(object, this.structural);
    return object;
  }

  /** A stored object in this version; its schema may have changed since, or differ from the storage version's. */
  view(object: StoredObject): StoredObject {
    let view = this.#views.get(object);
    if (view) return view;
    view = object;
    if (!isSettled(object, this.structural, true)) {
      view = deepCopy(object);
      prune(view, this.structural);
      dropNulls(view, this.structural);
      applyDefaults(view, this.structural);
    }
    this.#views.set(object, view);
    return view;
  }

  /** An object of this version in its stored form. */
  stored(object: StoredObject): StoredObject {
    if (!this.#storage) return object;
    prune(object, this.#storage);
    dropNulls(object, this.#storage);
    return object;
  }

  /** Validates an object; `old` is the one it replaces. Upstream: `pkg/registry/customresource/strategy.go`. */
  validate(object: StoredObject, errors: FieldErrors, old?: StoredObject): void {
    const found = this.#findings(this.#check, { ...this.#typeMeta, ...object }, old && { ...this.#typeMeta, ...old });
    reportFindings(found, "", errors);
    if (this.scale) {
      validateScale(object, this.scale, "spec", errors);
      validateScale(object, this.scale, "status", errors);
    }
    validateEmbedded(object, this.structural, "", errors);
    this.#validateLists(object, errors, old);
  }

  /** Like {@link validate}, for a write that only changes the status. */
  validateStatus(object: StoredObject, old: StoredObject, errors: FieldErrors): void {
    if (this.#checkStatus && object.status !== undefined) {
      reportFindings(this.#findings(this.#checkStatus, object.status, old.status), "status", errors);
    }
    if (this.scale) validateScale(object, this.scale, "status", errors);
    this.#validateLists(object, errors, old);
  }

  /** Compares with the old value only if something is wrong, since most objects are valid. */
  #findings(check: Check, value: unknown, old: unknown): Findings {
    const found = new Findings();
    check(value, "", found);
    if (found.problems.length === 0 || !isObject(old)) return found;
    const again = new Findings();
    check(value, "", again, { value: old });
    return again;
  }

  #validateLists(object: StoredObject, errors: FieldErrors, old: StoredObject | undefined): void {
    const found = new FieldErrors();
    validateLists(object, this.structural, "", found);
    if (found.count === 0) return;
    const before = new FieldErrors();
    if (old) validateLists(old, this.structural, "", before);
    if (before.count > 0) return;
    for (const cause of found.causes) errors.causes.push(cause);
  }
}

/** A copy in the stored form, which has no apiVersion and kind; its metadata is decoded. */
function withMetadata(body: Readonly<Record<string, unknown>>, unknown?: string[]): StoredObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = body;
  return { metadata: readMetadata(metadata, "metadata", unknown), ...sortedCopy(rest) };
}
