/** Merging tolerations by their kinds, against comparing each with each as upstream does. */
import fc from "../fast_check.ts";
import { assertEquals } from "@std/assert";
import type { Toleration } from "../../src/api/mod.ts";
import { deepEqual } from "../../src/base/mod.ts";
import { mergeTolerations } from "../../src/sandbox/apiserver/admission/tolerations.ts";

/** Upstream: `pkg/util/tolerations` (isSuperset). */
function includes(wide: Toleration, narrow: Toleration): boolean {
  if (deepEqual(wide, narrow)) return true;
  const { key = "", operator = "", effect = "", tolerationSeconds = Infinity } = wide;
  if ((narrow.key ?? "") !== key && (key !== "" || operator !== "Exists")) return false;
  if ((narrow.effect ?? "") !== effect && effect !== "") return false;
  if (effect === "NoExecute" && (narrow.tolerationSeconds ?? Infinity) > tolerationSeconds) return false;
  if (operator === "Exists") return true;
  const isEqual = operator === "Equal" || operator === "";
  return isEqual && narrow.operator === "Equal" && narrow.value === wide.value;
}

function mergeByComparison(all: readonly Toleration[]): Toleration[] {
  const merged: Toleration[] = [];
  for (const [i, toleration] of all.entries()) {
    const isCoveredLater = (other: Toleration) => !deepEqual(other, toleration) && includes(other, toleration);
    if (merged.some((other) => includes(other, toleration)) || all.slice(i + 1).some(isCoveredLater)) continue;
    merged.push(toleration);
  }
  return merged;
}

const scope = {
  key: fc.constantFrom("a", "b"),
  effect: fc.constantFrom("NoSchedule", "NoExecute"),
  tolerationSeconds: fc.constantFrom(-1, 0, 5, 9),
};
const toleration = fc.oneof(
  fc.record({ ...scope, operator: fc.constantFrom("Exists", "Gt") }, { requiredKeys: ["operator"] }),
  fc.record({ ...scope, operator: fc.constant("Equal"), value: fc.constantFrom("1", "2") }, {
    requiredKeys: ["key", "value"],
  }),
).filter(({ effect, tolerationSeconds }) => effect === "NoExecute" || tolerationSeconds === undefined);
const tolerations = fc.array(toleration, { maxLength: 8 });

Deno.test("tolerations are merged as if each were compared with each", () => {
  fc.assert(fc.property(tolerations, tolerations, (first, second) => {
    assertEquals(mergeTolerations(first, second), mergeByComparison([...first, ...second]));
  }));
});
