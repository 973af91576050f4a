import type { Node, NodeSelectorTerm, Pod } from "../../api/mod.ts";

/** Whether a pod waits for a scheduler. */
export function needsNode({ metadata, spec }: Pod): boolean {
  return !spec?.nodeName && !metadata?.deletionTimestamp && !spec?.schedulingGates?.length &&
    (spec?.schedulerName ?? "default-scheduler") === "default-scheduler";
}

function termMatches({ matchFields = [], matchExpressions = [] }: NodeSelectorTerm, { metadata }: Node): boolean {
  const fields = matchFields.every(({ key, operator, values = [] }) =>
    key === "metadata.name" && operator === "In" && values.includes(metadata?.name ?? "")
  );
  return fields && matchExpressions.every(({ key, operator, values = [] }) => {
    const value = metadata?.labels?.[key];
    if (operator === "Exists") return value !== undefined;
    if (operator === "DoesNotExist") return value === undefined;
    const isIn = value !== undefined && values.includes(value);
    return operator === "In" ? isIn : operator === "NotIn" ? !isIn : false;
  });
}

function fits({ spec }: Pod, node: Node): boolean {
  if (node.spec?.unschedulable || node.metadata?.deletionTimestamp) return false;
  const labels = node.metadata?.labels ?? {};
  if (Object.entries(spec?.nodeSelector ?? {}).some(([key, value]) => labels[key] !== value)) return false;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return !terms || terms.some((term) => termMatches(term, node));
}

/**
 * Chooses nodes for pods in turn: a stand-in for kube-scheduler that knows node selectors, required node affinity and cordons,
 * and nothing of resources or taints.
 *
 * @example
 * ```ts
 * import { RoundRobin } from "./scheduler.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const nodes = [{ metadata: { name: "a" } }, { metadata: { name: "b" } }];
 * const turns = new RoundRobin();
 * const choose = () => turns.choose({ spec: { containers: [] } }, nodes)?.metadata?.name;
 * assertEquals([choose(), choose(), choose()], ["a", "b", "a"]);
 * ```
 */
export class RoundRobin {
  #turn = 0;

  /** A node on which the pod may run, or `undefined` if there is none now. */
  choose(pod: Pod, nodes: readonly Node[]): Node | undefined {
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[(this.#turn + i) % nodes.length];
      if (!fits(pod, node)) continue;
      this.#turn = (this.#turn + i + 1) % nodes.length;
      return node;
    }
    return undefined;
  }
}
