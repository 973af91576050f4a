import { apiVersionOf } from "../../../api/mod.ts";
import { isObject, type JsonObject } from "../base/mod.ts";
import { type StructType, typeName } from "../schema/mod.ts";
import { DocumentError } from "./document.ts";

/** What a body has to be. */
export interface Target {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Absent for custom resources, which have no Go type. */
  readonly struct?: StructType;
  /**
   * Reads a custom resource.
   *
   * @param unknown Takes the paths of fields that its definition does not have.
   * @throws {DecodeError} If it does not fit.
   */
  read?(body: Readonly<JsonObject>, unknown: string[]): JsonObject;
}

/** What a body says that it is, with what it leaves out taken from what it has to be. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Reads apiVersion and kind of a document.
 *
 * @throws {DocumentError} If it is no object, or they are no texts.
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
