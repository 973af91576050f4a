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

function column<T extends KubeObject>(name: string, type: string, cell: Cell<T>): Column<T> {
  return { name, type, format: "", priority: 0, cell };
}

/** A text column; upstream uses this type for some numbers, too. */
export function text<T extends KubeObject>(name: string, cell: Cell<T>): Column<T> {
  return column(name, "string", cell);
}

/** A text column that is only shown with `-o wide`. */
export function wide<T extends KubeObject>(name: string, cell: Cell<T>): Column<T> {
  return { ...column(name, "string", cell), priority: 1 };
}

export function integer<T extends KubeObject>(name: string, cell: Cell<T>): Column<T> {
  return column(name, "integer", cell);
}

export function flag<T extends KubeObject>(name: string, cell: (object: T) => boolean | undefined): Column<T> {
  return column(name, "boolean", (object) => cell(object) ?? false);
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
