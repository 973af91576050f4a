import type { ObjectMeta } from "../../api/mod.ts";

/** The last writer of a field. */
export interface FieldManager {
  readonly manager: string;
  readonly operation?: string;
  /** When it last wrote any field. */
  readonly time?: string;
}

/**
 * Who added `finalizer` to an object, according to `managedFields`; the last writer if several own it.
 *
 * @example
 * ```ts
 * import { whoSetFinalizer } from "./field_manager.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const fieldsV1 = { "f:metadata": { "f:finalizers": { 'v:"example.com/hold"': {} } } };
 * const managedFields = [{ manager: "kubectl", operation: "Update", time: "2026-01-01T00:00:00Z", fieldsV1 }];
 * assertEquals(whoSetFinalizer({ managedFields }, "example.com/hold")?.manager, "kubectl");
 * ```
 */
export function whoSetFinalizer({ managedFields = [] }: ObjectMeta, finalizer: string): FieldManager | undefined {
  const owners = managedFields.filter(({ fieldsV1 }) => {
    const finalizers = at(at(fieldsV1, "f:metadata"), "f:finalizers");
    return at(finalizers, `v:${JSON.stringify(finalizer)}`) !== undefined;
  });
  // The times have one format, so they sort as text.
  const last = owners.toSorted((a, b) => (a.time ?? "") < (b.time ?? "") ? -1 : 1).at(-1);
  return last && { manager: last.manager ?? "", operation: last.operation, time: last.time };
}

function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
