import { apiVersionOf } from "../../api/mod.ts";
import type { StoredObject } from "../storage/mod.ts";
import { normalise } from "./schema/normalise.ts";
import type { ServedResource } from "./served.ts";

/** `{"kind":"Pod","apiVersion":"v1"`: how each object of the resource begins. */
function opening(
  { kind, group, version }: { readonly kind: string; readonly group: string; readonly version: string },
): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersionOf({ group, version }))}`;
}

const PARTIAL = opening({ kind: "PartialObjectMetadata", group: "meta.k8s.io", version: "v1" });

/** The object in the served version, as JSON without kind and apiVersion. */
function fieldsText(served: ServedResource, object: StoredObject): string {
  if (!served.conversion || !served.struct) return JSON.stringify(object);
  return JSON.stringify(normalise(served.conversion.fromStorage(object), served.struct));
}

/** A whole object. */
export function objectText(served: ServedResource, object: StoredObject): string {
  return joinFields(opening(served), fieldsText(served, object));
}

/** An object inside a list: those of built-in kinds do not repeat kind and apiVersion. */
export function itemText(served: ServedResource, object: StoredObject): string {
  return served.custom ? objectText(served, object) : fieldsText(served, object);
}

/** The metadata alone, as `PartialObjectMetadata`. */
export function metadataText(object: StoredObject): string {
  return `${PARTIAL},"metadata":${JSON.stringify(object.metadata)}}`;
}

/** A bookmark's object. */
export function bookmarkText(
  served: ServedResource,
  { revision, endsInitialEvents, partial }: {
    readonly revision: number;
    readonly endsInitialEvents: boolean;
    readonly partial: boolean;
  },
): string {
  const annotations = endsInitialEvents ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
  const metadata = { resourceVersion: String(revision), ...annotations };
  return `${partial ? PARTIAL : opening(served)},"metadata":${JSON.stringify(metadata)}}`;
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
  return `${opening(type)},"metadata":${JSON.stringify(metadata)},"items":[`;
}

function joinFields(start: string, fields: string): string {
  return fields === "{}" ? `${start}}` : `${start},${fields.slice(1)}`;
}
