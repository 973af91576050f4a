import { type PodTemplateSpec, type StatefulSet, type StatefulSetSpec, type Volume } from "../../../../api/mod.ts";
import { roundAmounts } from "../../../../rules/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import { dnsLabel, type FieldErrors, nonNegative, nonNegatives, oneOf } from "../../validation/mod.ts";
import { defaultTemplate, validateTemplate } from "../pods/mod.ts";
import { claimWarnings, validateClaimSpec } from "../shared/mod.ts";
import {
  validateCounters,
  validateRunsForever,
  validateSelector,
  validateSelects,
  workloadWarnings,
} from "./common.ts";

const CHANGEABLE = [
  ..."replicas ordinals template updateStrategy revisionHistoryLimit".split(" "),
  ..."persistentVolumeClaimRetentionPolicy minReadySeconds".split(" "),
];
const COUNTERS = {
  names: "replicas observedGeneration collisionCount",
  parts: "readyReplicas currentReplicas updatedReplicas availableReplicas",
};

function validatePolicies(spec: StatefulSetSpec, errors: FieldErrors): void {
  const { podManagementPolicy = "", updateStrategy = {}, persistentVolumeClaimRetentionPolicy: retention } = spec;
  if (!["OrderedReady", "Parallel"].includes(podManagementPolicy)) {
    errors.invalid("spec.podManagementPolicy", podManagementPolicy, "must be 'OrderedReady' or 'Parallel'");
  }
  const { type, rollingUpdate } = updateStrategy;
  const at = "spec.updateStrategy";
  if (type === "OnDelete") {
    if (rollingUpdate) {
      errors.invalid(`${at}.rollingUpdate`, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'");
    }
  } else if (type === "RollingUpdate") {
    nonNegative(rollingUpdate?.partition ?? 0, `${at}.rollingUpdate.partition`, errors);
  } else {
    errors.invalid(at, updateStrategy, "must be 'RollingUpdate' or 'OnDelete'");
  }
  const path = "spec.persistentVolumeClaimRetentionPolicy";
  for (const field of ["whenDeleted", "whenScaled"] as const) {
    oneOf("Retain", "Delete")(retention?.[field] ?? "", `${path}.${field}`, errors);
  }
}

/** The template in its final form: with the claims' volumes, and without names that the set assigns. */
function asPodsGetIt({ template = {}, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  const { subdomain: _subdomain, hostname: _hostname, ...spec } = template.spec ?? { containers: [] };
  const names = new Set(volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? ""));
  if (names.size === 0) return { ...template, spec };
  const claimed: Volume[] = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = (spec.volumes ?? []).filter(({ name }) => !names.has(name));
  return { ...template, spec: { ...spec, volumes: [...claimed, ...others] } };
}

function validateSpec(spec: StatefulSetSpec, errors: FieldErrors): void {
  const { selector, ordinals } = spec;
  validatePolicies(spec, errors);
  nonNegatives<StatefulSetSpec>("replicas", "minReadySeconds")(spec, "spec", errors);
  nonNegative(ordinals?.start ?? 0, "spec.ordinals.start", errors);
  validateSelector(selector, errors, "statefulset");
  const template = asPodsGetIt(spec);
  if (validateSelects(selector, template, errors)) validateTemplate(template, "spec.template", errors);
  else errors.invalid("spec.selector", selector, "invalid label selector");
  validateRunsForever(template, "StatefulSet", errors);
}

/** Upstream: `pkg/registry/apps/statefulset/strategy.go`. */
export const statefulSets: Traits<StatefulSet> = {
  names: "label",
  generation: ({ spec }) => spec,
  defaults({ spec }, gates) {
    if (!spec) return;
    spec.podManagementPolicy ||= "OrderedReady";
    const strategy = spec.updateStrategy ??= {};
    if (!strategy.type) {
      strategy.type = "RollingUpdate";
      strategy.rollingUpdate ??= {};
    }
    if (strategy.type === "RollingUpdate" && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0;
    // The feature for this is off by default in v1.36.
    delete strategy.rollingUpdate?.maxUnavailable;
    const retention = spec.persistentVolumeClaimRetentionPolicy ??= {};
    retention.whenDeleted ||= "Retain";
    retention.whenScaled ||= "Retain";
    spec.replicas ??= 1;
    spec.revisionHistoryLimit ??= 10;
    defaultTemplate(spec.template ??= {}, gates);
    for (const claim of spec.volumeClaimTemplates ?? []) {
      claim.apiVersion = "v1";
      claim.kind = "PersistentVolumeClaim";
      claim.spec ??= {};
      claim.spec.volumeMode ??= "Filesystem";
      roundAmounts(claim.spec.resources?.requests);
      roundAmounts(claim.spec.resources?.limits);
      claim.status = { phase: "Pending", ...claim.status };
    }
  },
  validate: ({ spec }, errors) => validateSpec(spec ?? { selector: {}, template: {} }, errors),
  validateCreate({ spec }, errors) {
    const { volumeClaimTemplates = [], serviceName } = spec ?? {};
    if (serviceName) errors.invalidFor("spec.serviceName", serviceName, dnsLabel(serviceName));
    for (const [i, claim] of volumeClaimTemplates.entries()) {
      validateClaimSpec(claim.spec ?? {}, `spec.volumeClaimTemplates[${i}].spec`, errors);
    }
  },
  validateUpdate({ spec }, old, errors) {
    const fixed = (values: object | undefined) =>
      Object.fromEntries(Object.entries(values ?? {}).filter(([field]) => !CHANGEABLE.includes(field)));
    if (deepEqual(fixed(spec), fixed(old.spec))) return;
    const list = CHANGEABLE.map((field) => `'${field}'`).join(", ");
    errors.forbidden("spec", `updates to statefulset spec for fields other than ${list} are forbidden`);
  },
  validateStatus: ({ status }, old, errors) => validateCounters(COUNTERS, status, old.status, errors),
  warnings(set, old) {
    const { spec } = set;
    const out = workloadWarnings(set, old, spec?.template);
    for (const [i, { spec: claim = {} }] of (spec?.volumeClaimTemplates ?? []).entries()) {
      out.push(...claimWarnings(claim, `spec.volumeClaimTemplates[${i}]${old ? ".Spec" : ""}`));
    }
    if ((spec?.revisionHistoryLimit ?? 0) < 0) {
      const why = "a negative value retains all historical revisions; a value >= 0 is recommended";
      out.push(`spec.revisionHistoryLimit: ${why}`);
    }
    return out;
  },
};
