import { apiVersionOf } from "../../../api/mod.ts";
import { isObject, type JsonObject } from "../base/mod.ts";
import { structOfKind, type StructType } from "../schema/mod.ts";
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
  /** Reads, in place, what {@link struct} leaves as it was sent; as {@link read}. */
  readRaw?(object: JsonObject, unknown: string[]): void;
}

/** What a body says that it is, with what it leaves out taken from what it has to be. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

const HEADER =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * Reads apiVersion and kind of a document.
 *
 * @throws {DocumentError} If it is no object, or they are no texts.
 */
export function typeMetaOf(value: unknown, target: Target): TypeMeta {
  const wanted = apiVersionOf(target);
  if (value === null) return { apiVersion: wanted, kind: target.kind };
  if (!isObject(value)) {
    throw unreadable(`json: cannot unmarshal ${jsonKind(value)} into Go value of type ${HEADER}`);
  }
  const { apiVersion, kind } = value;
  for (const [field, text] of [["apiVersion", apiVersion], ["kind", kind]] as const) {
    if (text === undefined || text === null || typeof text === "string") continue;
    throw unreadable(`json: cannot unmarshal ${jsonKind(text)} into Go struct field .${field} of type string`);
  }
  const version = typeof apiVersion === "string" ? apiVersion : "";
  if (version.split("/").length > 2) throw new DocumentError(`unexpected GroupVersion string: ${version}`);
  return { apiVersion: version || wanted, kind: typeof kind === "string" && kind || target.kind };
}

function unreadable(why: string): DocumentError {
  return new DocumentError(`couldn't get version/kind; json parse error: ${why}`);
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** Versions that upstream still knows although it serves them no more. */
const LEGACY: Readonly<Record<string, string>> = {
  "apps/v1beta1": "apps/v1",
  "apps/v1beta2": "apps/v1",
  "extensions/v1beta1": "apps/v1",
  "batch/v1beta1": "batch/v1",
  "policy/v1beta1": "policy/v1",
  "autoscaling/v2beta1": "autoscaling/v2",
  "autoscaling/v2beta2": "autoscaling/v2",
  "networking.k8s.io/v1beta1": "networking.k8s.io/v1",
  "rbac.authorization.k8s.io/v1beta1": "rbac.authorization.k8s.io/v1",
  "storage.k8s.io/v1beta1": "storage.k8s.io/v1",
};

/** Kinds that exist in every version of every group. */
const EVERYWHERE = new Set([
  "CreateOptions",
  "DeleteOptions",
  "GetOptions",
  "ListOptions",
  "PatchOptions",
  "UpdateOptions",
  "WatchEvent",
]);

/** The Go struct of a kind that upstream knows; `true` for one that is known, but has no struct here. */
export function registeredKind({ apiVersion, kind }: TypeMeta): StructType | true | undefined {
  if (EVERYWHERE.has(kind) || (apiVersion === "v1" && (kind === "List" || kind === "Status"))) return true;
  const [version, group = ""] = (LEGACY[apiVersion] ?? apiVersion).split("/").reverse();
  const struct = structOfKind({ group, version }, kind);
  if (struct?.fields.has("apiVersion")) return struct;
  const item = kind.endsWith("List") ? structOfKind({ group, version }, kind.slice(0, -4)) : undefined;
  return item?.fields.has("apiVersion") ? true : undefined;
}

/** The package of a group's internal types, which Go's messages name. */
export function internalPackage(group: string): string {
  if (group === "events.k8s.io") return "core";
  return group.split(".")[0] || "core";
}
