import { apiVersionOf } from "../../../api/mod.ts";
import { jsonText, type StoredObject } from "../../storage/mod.ts";
import { normalise } from "../schema/mod.ts";
import { type ServedResource, withVerbatim } from "../resources/mod.ts";

/** `{"kind":"Pod","apiVersion":"v1"`: how each object of the resource begins. */
function opening(
  { kind, group, version }: { readonly kind: string; readonly group: string; readonly version: string },
): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersionOf({ group, version }))}`;
}

const openings = new WeakMap<ServedResource, string>();

function openingOf(served: ServedResource): string {
  let text = openings.get(served);
  if (text === undefined) openings.set(served, text = opening(served));
  return text;
}

const PARTIAL = opening({ kind: "PartialObjectMetadata", group: "meta.k8s.io", version: "v1" });

/** The object in the served version, as JSON without kind and apiVersion. */
function fieldsText(served: ServedResource, object: StoredObject): string {
  if (served.custom) return jsonText(served.custom.version.view(object));
  if (!served.conversion || !served.struct) return withVerbatim(jsonText(object), served);
  return JSON.stringify(normalise(served.conversion.fromStorage(object), served.struct));
}

/** A whole object. */
export function objectText(served: ServedResource, object: StoredObject): string {
  return joinFields(openingOf(served), fieldsText(served, object));
}

/** An object inside a list: those of built-in kinds do not repeat kind and apiVersion. */
export function itemText(served: ServedResource, object: StoredObject): string {
  return served.custom ? objectText(served, object) : fieldsText(served, object);
}

/** The metadata alone, as `PartialObjectMetadata`. */
export function metadataText(object: StoredObject): string {
  return `${PARTIAL},"metadata":${JSON.stringify(object.metadata)}}`;
}

/** An object that has nothing but metadata, as bookmarks carry it: what the type always writes is there all the same. */
export function emptyObjectText(served: ServedResource, object: StoredObject): string {
  const { struct } = served;
  return joinFields(openingOf(served), JSON.stringify(struct ? normalise(object, struct) : object));
}

/** The beginning of a list, up to its first item. */
export function listOpening(
  served: ServedResource,
  metadata: Readonly<Record<string, unknown>>,
  shape: "object" | "metadata",
): string {
  const type = shape === "metadata"
    ? { kind: "PartialObjectMetadataList", group: "meta.k8s.io", version: "v1" }
    : { kind: served.listKind, group: served.group, version: served.version };
  // Lists of custom resources have no Go type that would leave an empty token out.
  const written = served.custom && shape === "object" ? { continue: "", ...metadata } : metadata;
  return `${opening(type)},"metadata":${JSON.stringify(written)},"items":[`;
}

function joinFields(start: string, fields: string): string {
  return fields === "{}" ? `${start}}` : `${start},${fields.slice(1)}`;
}
