import { formatDuration, type ObjectMeta, Quantity } from "../../api/mod.ts";

/** The usage of a pod or a node, as in the API. */
export interface UsageObject {
  readonly metadata: ObjectMeta;
  readonly timestamp: string;
  readonly window: string;
  /** Only for pods. */
  readonly containers?: readonly { readonly name: string; readonly usage: Readonly<Record<string, string>> }[];
  /** Only for nodes. */
  readonly usage?: Readonly<Record<string, string>>;
}

/** A row of a table: the object and its total usage. */
export interface UsageRow {
  readonly object: UsageObject;
  readonly windowMs: number;
  readonly usage: ReadonlyMap<string, Quantity>;
}

/**
 * Metrics as a table for `kubectl get`, with a column for each resource in the first row. Upstream: metrics-server's
 * `pkg/api/table.go`.
 */
export function usageTable(rows: readonly UsageRow[]): object {
  const table = { kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: {} };
  if (rows.length === 0) return { ...table, columnDefinitions: null, rows: null };
  const names = [...rows[0].usage.keys()].sort();
  const column = (name: string, format: string, description = "") => ({
    name,
    type: "string",
    format,
    description,
    priority: 0,
  });
  return {
    ...table,
    columnDefinitions: [
      column("Name", "name", "Name of the resource"),
      ...names.map((name) => column(name, "quantity")),
      column("Window", "duration"),
    ],
    rows: rows.map(({ object: { metadata }, windowMs, usage }) => ({
      cells: [
        metadata.name,
        ...names.map((name) => (usage.get(name) ?? Quantity.ZERO).toString()),
        formatDuration(windowMs),
      ],
      object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata },
    })),
  };
}
