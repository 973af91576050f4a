import type { PodGroup, Workload } from "../../../api/mod.ts";
import { goQuote } from "../../../base/mod.ts";
import { type Admission, refusal } from "../operations/mod.ts";

/** A group's template must exist in its workload. Upstream: `plugin/pkg/admission/podgroup`. */
export function requireTemplate(admission: Admission<PodGroup>): void {
  const { object, operation: { state: { store }, namespace } } = admission;
  const { workloadName, podGroupTemplateName } = object.spec?.podGroupTemplateRef?.workload ?? {};
  if (workloadName === undefined) return;
  const refused = (why: string) => refusal(admission, `PodGroup rejected: ${why}`);
  const quoted = goQuote(workloadName);
  // The collection holds only workloads.
  const workload = store.get("workloads.scheduling.k8s.io", `${namespace}/${workloadName}`) as Workload | undefined;
  if (!workload) throw refused(`Workload ${quoted} not found`);
  if (workload.metadata?.deletionTimestamp) throw refused(`Workload ${quoted} is being deleted`);
  if (workload.spec?.podGroupTemplates.some(({ name }) => name === podGroupTemplateName)) return;
  throw refused(`PodGroupTemplate ${goQuote(podGroupTemplateName ?? "")} not found in Workload ${quoted}`);
}
