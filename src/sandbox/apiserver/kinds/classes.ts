/** Classes that pods refer to: priorities and runtimes. */
import { type PriorityClass, type RuntimeClass } from "../../../api/mod.ts";
import { roundAmounts } from "../../../rules/mod.ts";
import type { Traits } from "../traits/mod.ts";
import { all, fields, uniqueBy } from "../validation/mod.ts";
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

const runtimeFields = fields<RuntimeClass>({
  handler: "!label",
  overhead: ({ podFixed }, at, errors) => {
    if (podFixed) validateRequirements({ limits: podFixed }, new Set(), { at, of: "container" }, errors);
  },
  scheduling: fields<NonNullable<RuntimeClass["scheduling"]>>({
    nodeSelector: "labels",
    tolerations: all(
      validateTolerations,
      uniqueBy(({ key, operator, value, effect }) => JSON.stringify([key, operator, value, effect])),
    ),
  }),
});

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
  validate: (object, errors) => runtimeFields(object, "", errors),
  warnings: ({ scheduling }) =>
    Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) =>
      NODE_LABELS[key] ? [`scheduling.nodeSelector: ${NODE_LABELS[key]}`] : []
    ),
};
