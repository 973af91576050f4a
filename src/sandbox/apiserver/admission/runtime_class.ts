import { parseAmounts, sameAmounts } from "../../../rules/mod.ts";
import { type Pod, type QuantityValue, type RuntimeClass } from "../../../api/mod.ts";
import { type Admission, refusal } from "../operations/mod.ts";
import { mergeTolerations } from "./tolerations.ts";

type Overhead = Readonly<Record<string, QuantityValue>>;

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

/**
 * Gives a pod its runtime class's overhead and scheduling constraints. Upstream: `plugin/pkg/admission/runtimeclass`.
 */
export function applyRuntimeClass(admission: Admission<Pod>): void {
  const { spec } = admission.object;
  const runtimeClass = runtimeClassOf(admission);
  if (!spec || !runtimeClass) return;
  const { overhead, scheduling } = runtimeClass;
  if (overhead) {
    const hasOwn = Object.keys(spec.overhead ?? {}).length > 0;
    if (hasOwn && !isSame(spec.overhead, overhead.podFixed)) throw refusal(admission, MISMATCH);
    spec.overhead = { ...overhead.podFixed };
  }
  if (!scheduling) return;
  const selector = new Map(Object.entries(spec.nodeSelector ?? {}));
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const before = selector.get(key);
    if (before !== undefined && before !== value) {
      const why = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; ` +
        `pod.spec.nodeSelector[${key}] = ${before}`;
      throw refusal(admission, why);
    }
    selector.set(key, value);
  }
  spec.nodeSelector = Object.fromEntries(selector);
  spec.tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? []);
}

/** Only the runtime class can set a pod's overhead. */
export function keepOverhead(admission: Admission<Pod>): void {
  const { overhead } = admission.object.spec ?? {};
  const defined = runtimeClassOf(admission)?.overhead;
  if (defined) {
    if (!isSame(overhead, defined.podFixed)) throw refusal(admission, MISMATCH);
  } else if (overhead) {
    throw refusal(admission, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
  }
}

function runtimeClassOf(admission: Admission<Pod>): RuntimeClass | undefined {
  const name = admission.object.spec?.runtimeClassName;
  if (name === undefined) return undefined;
  const found = admission.operation.state.store.get("runtimeclasses.node.k8s.io", name) as RuntimeClass | undefined;
  if (!found) throw refusal(admission, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  return found;
}

function isSame(left: Overhead | undefined, right: Overhead | undefined): boolean {
  return sameAmounts(parseAmounts(left), parseAmounts(right));
}
