import type { StoredObject } from "../../storage/mod.ts";
import { metadataText, objectText } from "../requests/mod.ts";
import { badRequest } from "../base/mod.ts";
import type { TableOptions, Tables } from "../exchange/mod.ts";
import type { ServedResource } from "../resources/mod.ts";
import type { TableRules } from "./columns/mod.ts";
import { customTable } from "./custom_columns.ts";
import { tableOf } from "./kinds/mod.ts";

const INCLUDED = ["Metadata", "Object", "None", ""];

/**
 * Validates what to include in a table's rows.
 *
 * @throws {ApiError} 400 if it is not `Metadata`, `Object` or `None`.
 */
function checkInclude(query: URLSearchParams): void {
  const include = query.get("includeObject") ?? "";
  if (INCLUDED.includes(include)) return;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: ` +
      "must be 'Metadata', 'Object', 'None', or empty",
  );
}

const customTables = new WeakMap<ServedResource, TableRules>();

function rulesOf(served: ServedResource): TableRules {
  if (!served.custom) return tableOf(served.collection);
  let rules = customTables.get(served);
  if (!rules) customTables.set(served, rules = customTable(served.custom.printerColumns));
  return rules;
}

function render(
  served: ServedResource,
  objects: readonly StoredObject[],
  metadata: object,
  { query, nowMs, withoutColumns }: TableOptions,
): string {
  const { columns, extraCells = [], compare, emptyIsNull } = rulesOf(served);
  const columnDefinitions = withoutColumns ? null : columns.map(
    ({ name, type, format, description = "", priority }) => ({ name, type, format, description, priority }),
  );
  const cellsOf = [...columns.map(({ cell }) => cell), ...extraCells];
  const include = query.get("includeObject") || "Metadata";
  const sorted = compare ? objects.toSorted(compare) : objects;
  const rows = sorted.map((object) => {
    const shown = served.custom?.version.view(object) ?? object;
    const cells = cellsOf.map((cell) => cell(shown, nowMs) ?? (served.custom ? null : ""));
    const conditions = served.collection === "pods" ? rowConditions(object) : "";
    return `{"cells":${JSON.stringify(cells)}${conditions},"object":${includedText(served, object, include)}}`;
  });
  const opening = JSON.stringify({ kind: "Table", apiVersion: "meta.k8s.io/v1", metadata, columnDefinitions });
  const rowsText = rows.length === 0 && emptyIsNull ? "null" : `[${rows.join(",")}]`;
  return `${opening.slice(0, -1)},"rows":${rowsText}}`;
}

function includedText(served: ServedResource, object: StoredObject, include: string): string {
  if (include === "Object") return objectText(served, object);
  // The annotation that marks the end of the initial events must be kept.
  const marksEnd = object.metadata.uid === undefined && object.metadata.annotations !== undefined;
  return include === "None" && !marksEnd ? "null" : metadataText(object);
}

const COMPLETED: Readonly<Record<string, string>> = {
  Succeeded: "The pod has completed successfully.",
  Failed: "The pod failed.",
};

/** Marks finished pods, so that clients can tell them from running ones. */
function rowConditions({ status }: StoredObject): string {
  const { phase = "" } = (status ?? {}) as { readonly phase?: string };
  const message = COMPLETED[phase];
  if (message === undefined) return "";
  return `,"conditions":${JSON.stringify([{ type: "Completed", status: "True", reason: phase, message }])}`;
}

/** Tables with kube-apiserver's columns. */
export const TABLES: Tables = { checkInclude, render };
