import type { KubeObject } from "../api/mod.ts";
import type { SkipReason } from "./informer_metrics.ts";

/** An object came that cannot be read. Its message says why in words that hold nothing of the object. */
export class UnreadableError extends Error {
  override readonly name = "UnreadableError";
  readonly reason: SkipReason;

  constructor(reason: SkipReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** What everybody takes to be text in an object's metadata where it is there at all. */
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
 * Says why `value` cannot be an object that an API server stores, by what all handlers and indexes read: its kind and its
 * metadata. `undefined` if it can. What else is in it costs whoever reads it the work on this object.
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
