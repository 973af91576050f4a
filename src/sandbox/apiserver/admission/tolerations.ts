import type { Pod, Toleration } from "../../../api/mod.ts";
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

/**
 * Both lists, without tolerations that others cover; of equal ones the first stays. Takes time by their number alone.
 * Upstream: `pkg/util/tolerations` (MergeTolerations).
 */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const later = new Covers();
  const left = [...first, ...second].reverse().filter((toleration) => {
    const isCovered = later.widens(toleration);
    later.add(toleration);
    return !isCovered;
  });
  const merged = new Covers();
  return left.reverse().filter((toleration) => {
    if (merged.has(toleration) || merged.widens(toleration)) return false;
    merged.add(toleration);
    return true;
  });
}

/** What some tolerations cover: those of a kind differ only in for how long they tolerate. */
class Covers {
  readonly #mostSeconds = new Map<string, number>();
  readonly #added = new Set<string>();

  add(toleration: Toleration): void {
    const { effect, tolerationSeconds = Infinity } = toleration;
    const kind = kindOf(toleration);
    const seconds = effect === "NoExecute" ? tolerationSeconds : Infinity;
    this.#mostSeconds.set(kind, Math.max(seconds, this.#mostSeconds.get(kind) ?? -Infinity));
    this.#added.add(`${kind} ${tolerationSeconds}`);
  }

  has(toleration: Toleration): boolean {
    return this.#added.has(`${kindOf(toleration)} ${toleration.tolerationSeconds ?? Infinity}`);
  }

  /** Whether another one than its equals tolerates everything that this does. */
  widens(narrow: Toleration): boolean {
    const own = kindOf(narrow);
    const seconds = narrow.tolerationSeconds ?? Infinity;
    return widerKinds(narrow).some((kind) => {
      const most = this.#mostSeconds.get(kind) ?? -Infinity;
      return kind === own ? most > seconds : most >= seconds;
    });
  }
}

function kindOf({ key = "", effect = "", operator = "", value = "" }: Toleration): string {
  return JSON.stringify([key, effect, operator, operator === "Exists" ? "" : value]);
}

/** Of tolerations that tolerate what this one does, if they do for as long. */
function widerKinds({ key = "", effect = "", operator, value }: Toleration): string[] {
  return [effect, ""].flatMap((effect) => [
    kindOf({ key, effect, operator: "Exists" }),
    kindOf({ effect, operator: "Exists" }),
    ...operator === "Equal" ? ["Equal", ""].map((operator) => kindOf({ key, effect, operator, value })) : [],
  ]);
}
