import type { KubeObject } from "../../../../api/mod.ts";
import type { StoredObject } from "../../../storage/mod.ts";
import { ageOf } from "./age.ts";

export type CellValue = string | number | boolean | null;

/** Computes a cell. The object may have nothing but metadata, since bookmarks are rows, too. */
export type Cell<T extends KubeObject> = (object: T, nowMs: number) => CellValue | undefined;

export interface Column<T extends KubeObject = StoredObject> {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description?: string;
  /** 0 is always shown, 1 only with `-o wide`. */
  readonly priority: number;
  readonly cell: Cell<T>;
}

/** The columns of a kind. Upstream: `pkg/printers/internalversion/printers.go`. */
export interface TableRules<T extends KubeObject = StoredObject> {
  readonly columns: readonly Column<T>[];
  /** The order of the rows, if not by key. */
  compare?(a: T, b: T): number;
  /** Cells without a column, which upstream forgot to define. */
  readonly extraCells?: readonly Cell<T>[];
  /** Whether a table without rows has `null` instead of an empty list. */
  readonly emptyIsNull?: boolean;
}

/** Where a cell's value comes from: a path such as `spec.nodeName` or `spec.ports.length`, or a computation. */
type Source<T extends KubeObject> = string | Cell<T>;

/** The value at a path; `otherwise` if there is none. */
function cellAt(path: string, otherwise: CellValue | undefined): Cell<KubeObject> {
  const steps = path.split(".");
  return (object) => {
    // A path leads to values of its column's type.
    const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | null)?.[step], object);
    return (found ?? "") === "" ? otherwise : found as CellValue;
  };
}

function column<T extends KubeObject>(name: string, type: string, source: Source<T>, otherwise?: CellValue): Column<T> {
  const cell = typeof source === "string" ? cellAt(source, otherwise) : source;
  return { name, type, format: "", priority: 0, cell };
}

/** A text column; upstream uses this type for some numbers, too. `otherwise` stands where a path leads to nothing. */
export function text<T extends KubeObject>(name: string, source: Source<T>, otherwise?: CellValue): Column<T> {
  return column(name, "string", source, otherwise);
}

/** A text column that is only shown with `-o wide`. */
export function wide<T extends KubeObject>(name: string, source: Source<T>, otherwise?: CellValue): Column<T> {
  return { ...column(name, "string", source, otherwise), priority: 1 };
}

export function integer<T extends KubeObject>(name: string, source: Source<T>): Column<T> {
  return column(name, "integer", source, 0);
}

export function flag<T extends KubeObject>(name: string, source: Source<T>): Column<T> {
  return column(name, "boolean", source, false);
}

/** The name, which kubectl recognizes by its format. */
export const NAME: Column<KubeObject> = {
  name: "Name",
  type: "string",
  format: "name",
  priority: 0,
  cell: ({ metadata }) => metadata?.name ?? "",
};

export const AGE: Column<KubeObject> = text("Age", ({ metadata }, nowMs) => ageOf(metadata?.creationTimestamp, nowMs));
