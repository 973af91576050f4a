import { apiVersionOf } from "../../../api/mod.ts";
import { badRequest, isObject, type JsonObject } from "../base/mod.ts";
import { type StructType, typeName } from "../schema/mod.ts";
import { DocumentError } from "./document.ts";

/** The type that a body must have. */
export interface Target {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Absent for custom resources, which have no Go type. */
  readonly struct?: StructType;
  /**
   * Decodes a custom resource.
   *
   * @param unknown Receives the paths of fields that its definition does not have.
   * @throws {DecodeError} If it is invalid.
   */
  read?(body: Readonly<JsonObject>, unknown: string[]): JsonObject;
}

/** The apiVersion and kind of a body; what it leaves out is taken from the expected type. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Reads the apiVersion and kind of a document.
 *
 * @throws {DocumentError} If it is not an object, or they are not strings.
 */
export function typeMetaOf(value: unknown, target: Target): TypeMeta {
  const wanted = apiVersionOf(target);
  if (value === null) return { apiVersion: wanted, kind: target.kind };
  if (!isObject(value)) throw new DocumentError(`it must be an object, not ${typeName(value)}`);
  const { apiVersion, kind } = value;
  for (const [field, text] of [["apiVersion", apiVersion], ["kind", kind]] as const) {
    if (text === undefined || text === null || typeof text === "string") continue;
    throw new DocumentError(`${field}: must be a string, not ${typeName(text)}`);
  }
  const version = typeof apiVersion === "string" ? apiVersion : "";
  if (version.split("/").length > 2) throw new DocumentError(`apiVersion: ${version} names no group and version`);
  return { apiVersion: version || wanted, kind: typeof kind === "string" && kind || target.kind };
}

/** @throws {ApiError} 400 if the apiVersion of a body is not the expected one. */
export function checkVersion(apiVersion: string, target: Target): void {
  const wanted = apiVersionOf(target);
  if (apiVersion === wanted) return;
  throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`);
}
