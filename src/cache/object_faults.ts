import type { KubeObject } from "../api/mod.ts";
import type { SkipReason } from "./informer_metrics.ts";

/** An object cannot be read. The message says why without quoting the object. */
export class UnreadableError extends Error {
  override readonly name = "UnreadableError";
  readonly reason: SkipReason;

  constructor(reason: SkipReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Metadata fields that must be text if present. */
const TEXTS = [
  "namespace",
  "uid",
  "resourceVersion",
  "generateName",
  "creationTimestamp",
  "deletionTimestamp",
] as const;
const MAPS = ["labels", "annotations"] as const;
const LISTS = ["ownerReferences", "finalizers"] as const;

/**
 * Says why `value` cannot be an object stored by an API server, or `undefined` if it can. Checks what all handlers and
 * indexes read: its kind and metadata. Faults elsewhere only affect whoever reads them.
 */
export function faultIn(value: unknown): string | undefined {
  if (!isPlain(value)) return "it is not an object";
  const { kind, apiVersion, metadata } = value as KubeObject;
  if (!isPlain(metadata)) return "metadata is not an object";
  if (typeof metadata.name !== "string" || metadata.name === "") return "metadata.name is not a name";
  if (!isAbsentOr("string", kind)) return "kind is not text";
  if (!isAbsentOr("string", apiVersion)) return "apiVersion is not text";
  for (const field of TEXTS) if (!isAbsentOr("string", metadata[field])) return `metadata.${field} is not text`;
  for (const field of MAPS) {
    if (!isAbsentOr("object", metadata[field]) || Array.isArray(metadata[field])) {
      return `metadata.${field} is not an object`;
    }
  }
  for (const field of LISTS) {
    const list: unknown = metadata[field] ?? [];
    if (!Array.isArray(list)) return `metadata.${field} is not a list`;
    if (field === "ownerReferences" && !list.every(isPlain)) {
      return "metadata.ownerReferences has what is not an object";
    }
  }
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isAbsentOr(type: "string" | "object", value: unknown): boolean {
  return value === undefined || value === null || typeof value === type;
}
