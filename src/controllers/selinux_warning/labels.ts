import type { SELinuxOptions } from "../../api/mod.ts";

/** User, role, type, level. */
export type LabelParts = readonly [string, string, string, string];

/** The part for which nodes have no default: an empty one differs from any other. */
const LEVEL = 3;

/** The label for options; empty if none are set. Missing parts stay empty, because each node has its own defaults. */
export function labelOf({ user = "", role = "", type = "", level = "" }: SELinuxOptions): string {
  const label = [user, role, type, level].join(":");
  return label === ":::" ? "" : label;
}

/** The parts of a label; the level may have colons in it. */
export function partsOf(label: string): LabelParts {
  const [user = "", role = "", type = "", ...level] = label.split(":");
  return [user, role, type, level.join(":")];
}

/**
 * Whether two labels conflict on a volume. Upstream: `pkg/controller/volume/selinuxwarning/translator`
 * (ConflictsParsed).
 *
 * @example
 * ```ts
 * import { labelsConflict, partsOf } from "./labels.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(labelsConflict(partsOf("system_u:system_r:t:s0"), partsOf(":::s0")), false);
 * assertEquals(labelsConflict(partsOf(":::s0:c1,c2"), partsOf(":::s0:c98,c99")), true);
 * ```
 */
export function labelsConflict(a: LabelParts, b: LabelParts): boolean {
  return a.some((part, i) => part !== b[i] && (i === LEVEL || part !== "" && b[i] !== ""));
}
