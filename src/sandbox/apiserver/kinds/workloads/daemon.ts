import type { ControllerRevision, DaemonSet, DaemonSetSpec } from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import { isObject } from "../../base/mod.ts";
import type { Stored, Traits } from "../../traits/mod.ts";
import {
  all,
  amountOf,
  atMostHundredPercent,
  countOrPercent,
  type FieldErrors,
  fields,
  nonNegative,
  nonNegatives,
} from "../../validation/mod.ts";
import { defaultTemplate, templateWarnings, validateTemplate } from "../pods/mod.ts";
import { validateCounters, validateRunsForever, validateSelector, validateSelects } from "./common.ts";

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

const limit = all(countOrPercent, atMostHundredPercent);
const limits = fields<{ maxUnavailable: string | number; maxSurge: string | number }>({
  maxUnavailable: limit,
  maxSurge: limit,
});

function validateStrategy(strategy: DaemonSetSpec["updateStrategy"] = {}, errors: FieldErrors): void {
  const at = "spec.updateStrategy";
  const { type, rollingUpdate } = strategy;
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") return errors.notSupported(at, strategy, ["RollingUpdate", "OnDelete"]);
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const path = `${at}.rollingUpdate`;
  limits({ maxUnavailable, maxSurge }, path, errors);
  const [hasUnavailable, hasSurge] = [amountOf(maxUnavailable) !== 0, amountOf(maxSurge) !== 0];
  if (hasUnavailable && hasSurge) {
    errors.invalid(`${path}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero");
  } else if (!hasUnavailable && !hasSurge) {
    errors.required(`${path}.maxUnavailable`, "cannot be 0 when maxSurge is 0");
  }
}

function validateSpec(spec: DaemonSetSpec, errors: FieldErrors): void {
  const { selector, template, updateStrategy } = spec;
  if (selector) validateSelector(selector, errors, "daemonset");
  validateSelects(selector, template, errors);
  validateTemplate(template, "spec.template", errors);
  validateRunsForever(template, "DaemonSet", errors);
  nonNegatives<DaemonSetSpec>("minReadySeconds", "revisionHistoryLimit")(spec, "spec", errors);
  validateStrategy(updateStrategy, errors);
}

/** The template's generation from its annotation; 0 without one. */
function templateGeneration({ metadata }: Stored<DaemonSet>): number {
  const text = metadata.annotations?.[TEMPLATE_GENERATION] ?? "";
  return /^-?\d+$/.test(text) ? Number(text) : 0;
}

function setTemplateGeneration({ metadata }: Stored<DaemonSet>, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
}

const COUNTERS = {
  names: "currentNumberScheduled numberMisscheduled desiredNumberScheduled numberReady observedGeneration " +
    "updatedNumberScheduled numberAvailable numberUnavailable collisionCount",
};

/** Upstream: `pkg/registry/apps/daemonset/strategy.go`. */
export const daemonSets: Traits<DaemonSet> = {
  generation: ({ spec }) => spec,
  immutable: ["spec.selector"],
  defaults({ spec }, gates) {
    if (!spec) return;
    const strategy = spec.updateStrategy ??= {};
    strategy.type ||= "RollingUpdate";
    if (strategy.type === "RollingUpdate") {
      strategy.rollingUpdate = { maxUnavailable: 1, maxSurge: 0, ...strategy.rollingUpdate };
    }
    spec.revisionHistoryLimit ??= 10;
    defaultTemplate(spec.template ??= {}, gates);
  },
  prepareCreate: (daemonSet) => setTemplateGeneration(daemonSet, Math.max(1, templateGeneration(daemonSet))),
  prepareUpdate(daemonSet, old) {
    const changed = !deepEqual(daemonSet.spec?.template, old.spec?.template);
    setTemplateGeneration(daemonSet, templateGeneration(old) + (changed ? 1 : 0));
  },
  validate: ({ spec }, errors) => validateSpec(spec ?? { selector: {}, template: {} }, errors),
  validateStatus: ({ status }, old, errors) => validateCounters(COUNTERS, status, old.status, errors),
  warnings(daemonSet, old) {
    const isUnchanged = old && templateGeneration(daemonSet) === templateGeneration(old);
    return isUnchanged ? [] : templateWarnings(daemonSet.spec?.template, "spec.template");
  },
};

/** Revisions are immutable except for their number. Upstream: `pkg/registry/apps/controllerrevision`. */
export const controllerRevisions: Traits<ControllerRevision> = {
  verbatim: "data",
  validate: ({ revision }, errors) => nonNegative(revision ?? 0, "revision", errors),
  validateCreate({ data }, errors) {
    if (data === undefined || data === null) errors.required("data", "data is mandatory");
    else if (!isObject(data)) errors.required("data", "data must be a valid JSON object");
  },
  validateUpdate({ data }, old, errors) {
    // Upstream shows the raw bytes here, which are unreadable.
    if (JSON.stringify(data) !== JSON.stringify(old.data)) errors.invalid("data", {}, "field is immutable");
  },
};
