import type { StoredObject } from "../../storage/mod.ts";
import { metadataText, objectText } from "../encode.ts";
import type { Page } from "../list.ts";
import type { Form } from "../negotiate.ts";
import type { ServedResource } from "../served.ts";
import { type Column, COLUMNS, CUSTOM_COLUMNS, DEFAULT_COLUMNS } from "./columns.ts";

/** How a table is wanted. */
export interface RenderOptions {
  readonly form: Form;
  readonly query: URLSearchParams;
  readonly nowMs: number;
}

/** One object as its metadata alone or as a table of one row. */
export function renderObject(served: ServedResource, object: StoredObject, options: RenderOptions): string {
  if (options.form.shape === "metadata") return metadataText(object);
  return tableText(served, [object], { resourceVersion: object.metadata.resourceVersion }, options);
}

/** A page of a list as a table. */
export function renderList(served: ServedResource, { objects, metadata }: Page, options: RenderOptions): string {
  return tableText(served, objects, metadata, options);
}

function columnsOf({ collection, custom }: ServedResource): readonly Column[] {
  // The rows of a collection get objects of its kind, which only the collection's name can tell.
  return (COLUMNS[collection] as readonly Column[] | undefined) ?? (custom ? CUSTOM_COLUMNS : DEFAULT_COLUMNS);
}

function tableText(
  served: ServedResource,
  objects: readonly StoredObject[],
  metadata: object,
  { query, nowMs }: RenderOptions,
): string {
  const columns = columnsOf(served);
  const columnDefinitions = columns.map(({ name, type, format, priority }) => ({
    name,
    type,
    format,
    description: "",
    priority,
  }));
  const include = query.get("includeObject") ?? "Metadata";
  const rows = objects.map((object) => {
    const cells = columns.map((column) => column.cell(object, nowMs));
    const included = include === "Object"
      ? objectText(served, object)
      : include === "None"
      ? "null"
      : metadataText(object);
    return `{"cells":${JSON.stringify(cells)}${rowConditions(object)},"object":${included}}`;
  });
  const opening = JSON.stringify({ kind: "Table", apiVersion: "meta.k8s.io/v1", metadata, columnDefinitions });
  return `${opening.slice(0, -1)},"rows":[${rows.join(",")}]}`;
}

/** Finished pods are marked, so that kubectl can tell them from running ones. */
function rowConditions({ status }: StoredObject): string {
  const phase = (status as { phase?: string } | undefined)?.phase;
  if (phase !== "Succeeded" && phase !== "Failed") return "";
  const condition = {
    type: "Completed",
    status: "True",
    reason: phase,
    message: "The pod has completed successfully.",
  };
  return `,"conditions":${JSON.stringify([condition])}`;
}
