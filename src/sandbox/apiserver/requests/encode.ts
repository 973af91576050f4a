import { apiVersionOf } from "../../../api/mod.ts";
import { jsonText, type StoredObject } from "../../storage/mod.ts";
import { normalise } from "../schema/mod.ts";
import { type ServedResource, withVerbatim } from "../resources/mod.ts";

/** `{"kind":"Pod","apiVersion":"v1"`: the start of every object of the resource. */
function opening({ kind, group, version }: Pick<ServedResource, "kind" | "group" | "version">): string {
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

export function objectText(served: ServedResource, object: StoredObject): string {
  return joinFields(openingOf(served), fieldsText(served, object));
}

/** An object in a list; items of built-in kinds have no kind and apiVersion. */
export function itemText(served: ServedResource, object: StoredObject): string {
  return served.custom ? objectText(served, object) : fieldsText(served, object);
}

/** The metadata alone, as `PartialObjectMetadata`. */
export function metadataText(object: StoredObject): string {
  return `${PARTIAL},"metadata":${JSON.stringify(object.metadata)}}`;
}

/** An object with nothing but metadata, for bookmarks; it includes the fields that the type always writes. */
export function emptyObjectText(served: ServedResource, object: StoredObject): string {
  const { struct } = served;
  return joinFields(openingOf(served), JSON.stringify(struct ? normalise(object, struct) : object));
}

/** The start of a list, up to its first item. */
export function listOpening(
  served: ServedResource,
  metadata: Readonly<Record<string, unknown>>,
  shape: "object" | "metadata",
): string {
  const type = shape === "metadata"
    ? { kind: "PartialObjectMetadataList", group: "meta.k8s.io", version: "v1" }
    : { kind: served.listKind, group: served.group, version: served.version };
  // Lists of custom resources have no Go type that omits an empty token.
  const written = served.custom && shape === "object" ? { continue: "", ...metadata } : metadata;
  return `${opening(type)},"metadata":${JSON.stringify(written)},"items":[`;
}

function joinFields(start: string, fields: string): string {
  return fields === "{}" ? `${start}}` : `${start},${fields.slice(1)}`;
}
