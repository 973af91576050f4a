import type { KubeObject } from "../../../../api/mod.ts";
import type { StoredObject } from "../../../storage/mod.ts";
import { ageOf } from "./age.ts";

/** What stands in a cell. */
export type CellValue = string | number | boolean | null;

/** Works out a cell. An object may lack everything but metadata: bookmarks are rows too. */
export type Cell<T extends KubeObject> = (object: T, nowMs: number) => CellValue | undefined;

/** One column that kubectl prints. */
export interface Column<T extends KubeObject = StoredObject> {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description?: string;
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority: number;
  readonly cell: Cell<T>;
}

/** The columns of a kind. Upstream: `pkg/printers/internalversion/printers.go`. */
export interface TableRules<T extends KubeObject = StoredObject> {
  readonly columns: readonly Column<T>[];
  /** The order of the rows, where it is not that of the keys. */
  compare?(a: T, b: T): number;
  /** Cells that have no column: upstream forgot to define one. */
  readonly extraCells?: readonly Cell<T>[];
  /** Whether a table without rows says `null`. */
  readonly emptyIsNull?: boolean;
}

function column<T extends KubeObject>(name: string, type: string, cell: Cell<T>): Column<T> {
  return { name, type, format: "", priority: 0, cell };
}

/** A column of texts; upstream also calls some numbers that. */
export function text<T extends KubeObject>(name: string, cell: Cell<T>): Column<T> {
  return column(name, "string", cell);
}

/** A column of texts that only `-o wide` shows. */
export function wide<T extends KubeObject>(name: string, cell: Cell<T>): Column<T> {
  return { ...column(name, "string", cell), priority: 1 };
}

export function integer<T extends KubeObject>(name: string, cell: Cell<T>): Column<T> {
  return column(name, "integer", cell);
}

export function flag<T extends KubeObject>(name: string, cell: (object: T) => boolean | undefined): Column<T> {
  return column(name, "boolean", (object) => cell(object) ?? false);
}

/** The name, by which kubectl tells what it can leave out with `-o name`. */
export const NAME: Column<KubeObject> = {
  name: "Name",
  type: "string",
  format: "name",
  priority: 0,
  cell: ({ metadata }) => metadata?.name ?? "",
};

export const AGE: Column<KubeObject> = text("Age", ({ metadata }, nowMs) => ageOf(metadata?.creationTimestamp, nowMs));
