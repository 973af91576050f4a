import type { Pod, Toleration } from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import type { Admission } from "../operations/mod.ts";

const TOLERATED_SECONDS = 300;
const NODE_TROUBLES = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** Lets pods stay for five minutes on a node in trouble. Upstream: `plugin/pkg/admission/defaulttolerationseconds`. */
export function addDefaultTolerations({ object: { spec } }: Admission<Pod>): void {
  if (!spec) return;
  const tolerates = (key: string) => ({ key: own, effect }: Toleration) =>
    (own === key || !own) && (effect === "NoExecute" || !effect);
  const missing = NODE_TROUBLES.filter((key) => !spec.tolerations?.some(tolerates(key)));
  if (missing.length === 0) return;
  spec.tolerations = [
    ...spec.tolerations ?? [],
    ...missing.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: TOLERATED_SECONDS })),
  ];
}

/** Both lists, without tolerations that others cover. Upstream: `pkg/util/tolerations` (MergeTolerations). */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [i, toleration] of all.entries()) {
    if (merged.some((other) => includes(other, toleration))) continue;
    // The first of equal ones stays.
    const isCoveredLater = (other: Toleration) => !deepEqual(other, toleration) && includes(other, toleration);
    if (!all.slice(i + 1).some(isCoveredLater)) merged.push(toleration);
  }
  return merged;
}

/** Whether `wide` tolerates everything that `narrow` does. */
function includes(wide: Toleration, narrow: Toleration): boolean {
  if (deepEqual(wide, narrow)) return true;
  const { key = "", operator = "", effect = "" } = wide;
  if ((narrow.key ?? "") !== key && (key !== "" || operator !== "Exists")) return false;
  if ((narrow.effect ?? "") !== effect && effect !== "") return false;
  if (effect === "NoExecute" && wide.tolerationSeconds !== undefined) {
    if ((narrow.tolerationSeconds ?? Infinity) > wide.tolerationSeconds) return false;
  }
  if (operator === "Exists") return true;
  const isEqual = operator === "Equal" || operator === "";
  return isEqual && narrow.operator === "Equal" && (narrow.value ?? "") === (wide.value ?? "");
}
