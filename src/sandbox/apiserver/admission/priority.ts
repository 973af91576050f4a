import type { Pod, PriorityClass } from "../../../api/mod.ts";
import { type Admission, refusal } from "../operations/mod.ts";
import { smallList } from "./small_lists.ts";

const PRIORITY_CLASSES = "priorityclasses.scheduling.k8s.io";

/** Resolves a pod's priority class. Upstream: `plugin/pkg/admission/priority`. */
export function addPriority(admission: Admission<Pod>): void {
  const { spec } = admission.object;
  if (!spec) return;
  const { name, value, preemptionPolicy } = classFor(admission, spec.priorityClassName);
  if (name) spec.priorityClassName = name;
  const check = <T>(what: string, sent: T | undefined, computed: T) => {
    if (sent === undefined || sent === computed) return;
    const why = `the ${what} (${sent}) must not be provided in pod spec; ` +
      `priority admission controller computed ${computed} from the given PriorityClass name`;
    throw refusal(admission, why);
  };
  check("integer value of priority", spec.priority, value);
  spec.priority = value;
  if (!preemptionPolicy) return;
  check("string value of PreemptionPolicy", spec.preemptionPolicy, preemptionPolicy);
  spec.preemptionPolicy = preemptionPolicy;
}

function classFor(admission: Admission<Pod>, wanted: string | undefined) {
  const classes = smallList<PriorityClass>(admission.operation.state.store, PRIORITY_CLASSES);
  const found = wanted ? classes.find(({ metadata }) => metadata.name === wanted) : globalDefault(classes);
  if (found) return { name: found.metadata!.name, value: found.value ?? 0, preemptionPolicy: found.preemptionPolicy };
  if (wanted) throw refusal(admission, `no PriorityClass with name ${wanted} was found`);
  return { name: undefined, value: 0, preemptionPolicy: "PreemptLowerPriority" };
}

/** The lowest, if a race has created several. */
function globalDefault(classes: readonly PriorityClass[]): PriorityClass | undefined {
  const defaults = classes.filter((each) => each.globalDefault);
  return defaults.sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
}

/** An update keeps what admission set at creation. */
export function keepPriority({ object, old }: Admission<Pod>): void {
  const { spec } = object;
  const before = old?.spec;
  if (!spec || !before) return;
  if (before.priority !== undefined) spec.priority ??= before.priority;
  if (before.preemptionPolicy !== undefined) spec.preemptionPolicy ??= before.preemptionPolicy;
}

/** Only one class can be the default. */
export function keepOneDefaultClass(admission: Admission<PriorityClass>): void {
  const { object, moment, operation } = admission;
  if (!object.globalDefault) return;
  const present = globalDefault(smallList<PriorityClass>(operation.state.store, PRIORITY_CLASSES))?.metadata?.name;
  if (present === undefined || (moment === "update" && present === object.metadata.name)) return;
  throw refusal(admission, `PriorityClass ${present} is already marked as default. Only one default can exist`);
}
