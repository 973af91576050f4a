/** Classes that pods refer to: priorities and runtimes. */
import { type PriorityClass, type RuntimeClass } from "../../../api/mod.ts";
import { roundAmounts } from "../../../rules/mod.ts";
import type { Traits } from "../traits/mod.ts";
import { fields, unique, validateLabels } from "../validation/mod.ts";
import { NODE_LABELS } from "./shared/mod.ts";
import { validateRequirements, validateTolerations } from "./pods/mod.ts";

const HIGHEST = 1000000000;
const SYSTEM_CLASSES: Readonly<Record<string, number | undefined>> = {
  "system-node-critical": 2000001000,
  "system-cluster-critical": 2000000000,
};

/** Why a class is not a valid system class; `undefined` if it is one. */
function systemProblem(name: string, { value, globalDefault }: PriorityClass): string | undefined {
  const wanted = Object.hasOwn(SYSTEM_CLASSES, name) ? SYSTEM_CLASSES[name] : undefined;
  if (wanted === undefined) return `${name} is not a known system priority class`;
  if (value !== wanted) return `value of ${name} PriorityClass must be ${wanted}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

const preemption = fields<PriorityClass>({ preemptionPolicy: "!one" }, "scheduling.v1.PriorityClass");
const handler = fields<RuntimeClass>({ handler: "!label" });

/** A priority class has a generation that never changes. */
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
    preemption(object, "", errors);
  },
  immutable: ["preemptionPolicy"],
  validateUpdate({ value }, old, errors) {
    if (value !== old.value) errors.forbidden("value", "may not be changed in an update.");
  },
};

/** Upstream: `pkg/apis/node/validation`. */
export const runtimeClasses: Traits<RuntimeClass> = {
  createsOnUpdate: true,
  needsResourceVersion: true,
  immutable: ["handler"],
  defaults: ({ overhead }) => roundAmounts(overhead?.podFixed),
  validate(object, errors) {
    handler(object, "", errors);
    const { overhead, scheduling } = object;
    if (overhead?.podFixed) {
      validateRequirements({ limits: overhead.podFixed }, new Set(), { at: "overhead", of: "container" }, errors);
    }
    if (!scheduling) return;
    const { nodeSelector, tolerations = [] } = scheduling;
    validateLabels(nodeSelector, "scheduling.nodeSelector", errors);
    validateTolerations(tolerations, "scheduling.tolerations", errors);
    unique(
      tolerations,
      "scheduling.tolerations",
      errors,
      ({ key, operator, value, effect }) => JSON.stringify([key, operator, value, effect]),
    );
  },
  warnings: ({ scheduling }) =>
    Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) =>
      NODE_LABELS[key] ? [`scheduling.nodeSelector: ${NODE_LABELS[key]}`] : []
    ),
};
