/** Classes that pods name: how important they are, and what runs them. */
import { type PriorityClass, type RuntimeClass, type Toleration } from "../../../api/mod.ts";
import { roundAmounts } from "../../../rules/mod.ts";
import type { Traits } from "../traits/mod.ts";
import {
  dnsLabel,
  type FieldErrors,
  fields,
  formatted,
  oneOf,
  required,
  unchanged,
  validateLabels,
} from "../validation/mod.ts";
import { NODE_LABELS } from "./shared/mod.ts";
import { validateRequirements, validateTolerations } from "./pods/mod.ts";

const HIGHEST = 1000000000;
const SYSTEM_CLASSES: Readonly<Record<string, number | undefined>> = {
  "system-node-critical": 2000001000,
  "system-cluster-critical": 2000000000,
};

/** What keeps a class from being one of the system's; nothing for those. */
function systemProblem(name: string, { value, globalDefault }: PriorityClass): string | undefined {
  const wanted = Object.hasOwn(SYSTEM_CLASSES, name) ? SYSTEM_CLASSES[name] : undefined;
  if (wanted === undefined) return `${name} is not a known system priority class`;
  if (value !== wanted) return `value of ${name} PriorityClass must be ${wanted}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

/** Priority classes carry a generation that never changes. */
export const priorityClasses: Traits<PriorityClass> = {
  generation: () => 1,
  defaults(priorityClass) {
    priorityClass.preemptionPolicy ??= "PreemptLowerPriority";
  },
  validateCreate(object, errors) {
    const name = object.metadata.name ?? "";
    if (name.startsWith("system-")) {
      const problem = systemProblem(name, object);
      const why = "priority class names with 'system-' prefix are reserved for system use only. error";
      if (problem) errors.forbidden("metadata.name", `${why}: ${problem}`);
    } else if ((object.value ?? 0) > HIGHEST) {
      errors.forbidden("value", `maximum allowed value of a user defined priority is ${HIGHEST}`);
    }
    fields<PriorityClass>({ preemptionPolicy: required(oneOf("PreemptLowerPriority", "Never")) })(object, "", errors);
  },
  validateUpdate({ value, preemptionPolicy }, old, errors) {
    if (value !== old.value) errors.forbidden("value", "may not be changed in an update.");
    unchanged(preemptionPolicy, old.preemptionPolicy, "preemptionPolicy", errors);
  },
};

function validateOnce(tolerations: readonly Toleration[], at: string, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, toleration] of tolerations.entries()) {
    const { key = "", operator = "", value = "", effect = "" } = toleration;
    const id = JSON.stringify([key, operator, value, effect]);
    if (seen.has(id)) errors.duplicate(`${at}[${i}]`, toleration);
    seen.add(id);
  }
}

/** Upstream: `pkg/apis/node/validation`. */
export const runtimeClasses: Traits<RuntimeClass> = {
  createsOnUpdate: true,
  needsResourceVersion: true,
  defaults: ({ overhead }) => roundAmounts(overhead?.podFixed),
  validate(object, errors) {
    fields<RuntimeClass>({ handler: required(formatted(dnsLabel)) })(object, "", errors);
    const { overhead, scheduling } = object;
    if (overhead?.podFixed) {
      validateRequirements({ limits: overhead.podFixed }, new Set(), { at: "overhead", of: "container" }, errors);
    }
    if (!scheduling) return;
    const { nodeSelector, tolerations = [] } = scheduling;
    validateLabels(nodeSelector, "scheduling.nodeSelector", errors);
    validateTolerations(tolerations, "scheduling.tolerations", errors);
    validateOnce(tolerations, "scheduling.tolerations", errors);
  },
  validateUpdate: ({ handler }, old, errors) => unchanged(handler, old.handler, "handler", errors),
  warnings: ({ scheduling }) =>
    Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) =>
      NODE_LABELS[key] ? [`scheduling.nodeSelector: ${NODE_LABELS[key]}`] : []
    ),
};
