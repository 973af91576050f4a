import type { Taint, Toleration } from "../api/mod.ts";
import { parseInt64 } from "../base/mod.ts";

/**
 * Whether a toleration covers a taint. Upstream: `k8s.io/api/core/v1/toleration.go` (ToleratesTaint), with the
 * operators `Lt` and `Gt` as if their feature gate were on: an API server whose gate is off accepts no such toleration.
 */
export function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  switch (operator || "Equal") {
    case "Equal":
      return (value ?? "") === (taint.value ?? "");
    case "Exists":
      return true;
    case "Lt":
    case "Gt": {
      const own = parseInt64(value ?? "");
      const other = parseInt64(taint.value ?? "");
      if (own === undefined || other === undefined) return false;
      return operator === "Lt" ? other < own : other > own;
    }
    default:
      return false;
  }
}

/** The first taint with one of these effects that none of the tolerations covers. */
export function untoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[] = ["NoSchedule", "NoExecute"],
): Taint | undefined {
  return taints?.find((taint) =>
    effects.includes(taint.effect) && !tolerations?.some((toleration) => tolerates(toleration, taint))
  );
}
