import type { Pod, PriorityClass, Toleration } from "../../../api/mod.ts";
import { forbidden } from "../errors.ts";
import type { Operation } from "../operation.ts";

const TOLERATED_SECONDS = 300;
const NODE_TROUBLES = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** Resolves a pod's priority class. Upstream: `plugin/pkg/admission/priority`. */
export function addPriority({ state: { store }, served }: Operation, pod: Pod): void {
  const { spec } = pod;
  if (!spec) return;
  const collection = "priorityclasses.scheduling.k8s.io";
  let found: PriorityClass | undefined;
  if (spec.priorityClassName) {
    found = store.get(collection, spec.priorityClassName) as PriorityClass | undefined;
    if (!found) {
      throw forbidden(
        served,
        pod.metadata?.name ?? "",
        `no PriorityClass with name ${spec.priorityClassName} was found`,
      );
    }
  } else {
    for (const { object } of store.list(collection) ?? []) {
      const candidate = object as PriorityClass;
      if (candidate.globalDefault && (candidate.value ?? 0) >= (found?.value ?? -Infinity)) found = candidate;
    }
    if (found?.metadata?.name) spec.priorityClassName = found.metadata.name;
  }
  spec.priority = found?.value ?? 0;
  spec.preemptionPolicy ??= found?.preemptionPolicy ?? "PreemptLowerPriority";
}

/** Pods stay for a while on a node in trouble. Upstream: `plugin/pkg/admission/defaulttolerationseconds`. */
export function addTolerations({ spec }: Pod): void {
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
