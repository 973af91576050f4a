import { DocumentError, jsonDocument } from "../decoding/mod.ts";
import { attempt, isObject, type JsonObject } from "../base/mod.ts";
import { type Shape, sortedCopy } from "../schema/mod.ts";
import { goJson } from "../validation/mod.ts";
import { appliedFields } from "./applied_fields.ts";
import { compare } from "./compare.ts";
import { type FieldSet, subtract } from "./field_set.ts";

/** The annotation in which client-side apply keeps what it last applied. */
const ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";
const LARGEST_ANNOTATIONS_BYTES = 256 * 1024;

/** What client-side apply last applied, from the object's annotation; `undefined` without one. */
export function lastAppliedOf({ metadata }: JsonObject): string | undefined {
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  const text = isObject(annotations) ? annotations[ANNOTATION] : undefined;
  return typeof text === "string" ? text : undefined;
}

/**
 * The fields that kubectl owns as a client-side applier, which a server-side apply by the same user may take over.
 * Upstream: `managedfields/internal/lastappliedmanager.go`.
 */
export function ownedByClientSide(fieldManager: string, live: JsonObject, shape: Shape): FieldSet | undefined {
  const text = fieldManager === "kubectl" ? lastAppliedOf(live) : undefined;
  if (!text) return undefined;
  const applied = attempt(() => jsonDocument(text).value, DocumentError);
  if (!isObject(applied) || applied.apiVersion !== live.apiVersion) return undefined;
  const { changed, removed } = compare(applied, live, shape);
  return subtract(subtract(appliedFields(applied, shape), changed), removed);
}

/**
 * The object with an annotation for client-side apply that says what was applied. Upstream: `lastappliedupdater.go`.
 */
export function withLastApplied(object: JsonObject, wanted: JsonObject): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const annotations = isObject(metadata.annotations) ? metadata.annotations : {};
  const text = `${goJson(sortedCopy(withoutAnnotation(wanted)))}\n`;
  const noted: JsonObject = { ...annotations, [ANNOTATION]: text };
  const size = Object.entries(noted).reduce((sum, [key, value]) => sum + key.length + String(value).length, 0);
  if (size > LARGEST_ANNOTATIONS_BYTES) delete noted[ANNOTATION];
  return { ...object, metadata: { ...metadata, annotations: noted } };
}

function withoutAnnotation(wanted: JsonObject): JsonObject {
  const { metadata } = wanted;
  if (!isObject(metadata) || !isObject(metadata.annotations)) return wanted;
  const { [ANNOTATION]: _noted, ...annotations } = metadata.annotations;
  const { annotations: _annotations, ...rest } = metadata;
  return { ...wanted, metadata: Object.keys(annotations).length > 0 ? { ...rest, annotations } : rest };
}
