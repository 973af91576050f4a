import { canonicalJson } from "../../../base/mod.ts";
import { type CustomResourceDefinitionVersion } from "../../../api/mod.ts";
import { attempt } from "../base/mod.ts";
import { AGE, ageOf, type CellValue, type Column, NAME, type TableRules } from "./columns/mod.ts";
import { parseJsonPath } from "./json_path.ts";

export type PrinterColumn = NonNullable<CustomResourceDefinitionVersion["additionalPrinterColumns"]>[number];

/** The table of a custom resource whose definition has no columns. */
const DEFAULT: TableRules = { columns: [NAME, { ...AGE, type: "date" }] };

/**
 * The table of a custom resource. As upstream, it ends at the first invalid path. Upstream:
 * `apiextensions-apiserver/pkg/registry/customresource/tableconvertor`.
 */
export function customTable(printed: readonly PrinterColumn[] | undefined): TableRules {
  if (!printed?.length) return DEFAULT;
  const columns: Column[] = [NAME];
  for (const { name, type, format = "", description, priority = 0, jsonPath } of printed) {
    const path = parseJsonPath(jsonPath);
    if (!path) break;
    const told = description || `Custom resource definition column (in JSONPath format): ${jsonPath}`;
    const cell: Column["cell"] = (object, nowMs) => cellValue(type, path(object)[0], nowMs);
    columns.push({ name, type, format, description: told, priority, cell });
  }
  return { columns };
}

/** Values of another type than the column's show nothing; text columns show everything. */
function cellValue(type: string, value: unknown, nowMs: number): CellValue {
  if (value === undefined) return null;
  switch (type) {
    case "string":
      return typeof value === "string" ? value : value === null ? "<no value>" : canonicalJson(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? attempt(() => ageOf(value, nowMs)) ?? "<invalid>" : null;
  }
  return null;
}
