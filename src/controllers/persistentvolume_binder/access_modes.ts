/** In the order in which upstream lists them. */
const KNOWN_MODES = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];

const inOrder = (modes: readonly string[]) => KNOWN_MODES.filter((mode) => modes.includes(mode));

/** All sets of modes, the smaller ones first. */
const SETS: readonly (readonly string[])[] = Array.from(
  { length: 2 ** KNOWN_MODES.length },
  (_, bits) => KNOWN_MODES.filter((_, i) => bits & 2 ** i),
).sort((a, b) => a.length - b.length);

/** The name of a set of modes, whatever their order. */
export function accessModeSet(modes: readonly string[] = []): string {
  return inOrder(modes).join(",");
}

/**
 * The sets that hold all of a claim's modes, the smaller ones first.
 *
 * @example
 * ```ts
 * import { accessModeSetsWith } from "./access_modes.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const [first] = accessModeSetsWith(["ReadWriteMany", "ReadWriteOnce"]);
 * assertEquals(first, "ReadWriteOnce,ReadWriteMany");
 * ```
 */
export function accessModeSetsWith(modes: readonly string[] = []): string[] {
  return SETS.filter((set) => modes.every((mode) => set.includes(mode))).map((set) => set.join(","));
}
