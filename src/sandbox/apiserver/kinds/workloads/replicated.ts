import type { Deployment, DeploymentSpec, ReplicaSet, ReplicationController } from "../../../../api/mod.ts";
import { deepCopy } from "../../../../base/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import {
  amountOf,
  atMostHundredPercent,
  countOrPercent,
  type FieldErrors,
  nonNegatives,
} from "../../validation/mod.ts";
import { defaultTemplate, validateTemplate } from "../pods/mod.ts";
import {
  reportMismatch,
  validateCounters,
  validateRunsForever,
  validateSelector,
  validateSelects,
  workloadWarnings,
} from "./common.ts";

/** The selector and template of a Deployment or ReplicaSet. Upstream: ValidatePodTemplateSpecForReplicaSet. */
function validateReplicated(
  { selector, template }: Pick<Partial<DeploymentSpec>, "selector" | "template">,
  errors: FieldErrors,
): void {
  validateSelector(selector, errors, "deployment");
  if (!validateSelects(selector, template, errors)) {
    return errors.invalid("spec.selector", selector, "invalid label selector");
  }
  validateTemplate(template, "spec.template", errors);
  validateRunsForever(template, "ReplicaSet", errors);
}

function validateStrategy(strategy: DeploymentSpec["strategy"] = {}, errors: FieldErrors): void {
  const at = "spec.strategy";
  const { type, rollingUpdate } = strategy;
  if (type === "Recreate") {
    if (!rollingUpdate) return;
    return errors.forbidden(`${at}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'");
  }
  if (type !== "RollingUpdate") return errors.notSupported(at, strategy, ["Recreate", "RollingUpdate"]);
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const path = `${at}.rollingUpdate`;
  countOrPercent(maxUnavailable, `${path}.maxUnavailable`, errors);
  countOrPercent(maxSurge, `${path}.maxSurge`, errors);
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
    errors.invalid(`${path}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0");
  }
  atMostHundredPercent(maxUnavailable, `${path}.maxUnavailable`, errors);
}

const deploymentCounts = nonNegatives<DeploymentSpec>(
  "replicas",
  "minReadySeconds",
  "revisionHistoryLimit",
  "progressDeadlineSeconds",
);
const DEPLOYMENT_COUNTERS = {
  names: "observedGeneration replicas unavailableReplicas terminatingReplicas collisionCount",
  parts: "updatedReplicas readyReplicas availableReplicas",
};

/** Upstream: `pkg/registry/apps/deployment/strategy.go` and `pkg/apis/apps/validation`. */
export const deployments: Traits<Deployment> = {
  immutable: ["spec.selector"],
  generation: ({ spec, metadata }) => ({ spec, annotations: metadata.annotations }),
  defaults({ spec }, gates) {
    if (!spec) return;
    spec.replicas ??= 1;
    defaultTemplate(spec.template ??= {}, gates);
    const strategy = spec.strategy ??= {};
    strategy.type ||= "RollingUpdate";
    if (strategy.type === "RollingUpdate") {
      strategy.rollingUpdate = { maxUnavailable: "25%", maxSurge: "25%", ...strategy.rollingUpdate };
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
  },
  prepareStatus(deployment, old) {
    if (old.metadata.labels) deployment.metadata.labels = deepCopy(old.metadata.labels);
    else delete deployment.metadata.labels;
  },
  validate({ spec }, errors) {
    const { strategy, minReadySeconds = 0, progressDeadlineSeconds: deadline } = spec ?? {};
    if (spec) deploymentCounts(spec, "spec", errors);
    validateReplicated(spec ?? {}, errors);
    validateStrategy(strategy, errors);
    if (deadline === undefined || deadline > minReadySeconds) return;
    errors.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
  },
  validateStatus: ({ status }, old, errors) => validateCounters(DEPLOYMENT_COUNTERS, status, old.status, errors),
  warnings: (object, old) => workloadWarnings(object, old, object.spec?.template),
};

const replicaCounts = nonNegatives<{ replicas?: number; minReadySeconds?: number }>("replicas", "minReadySeconds");
const REPLICA_COUNTERS = {
  names: "replicas observedGeneration terminatingReplicas",
  parts: "fullyLabeledReplicas readyReplicas availableReplicas",
};

/** Upstream: `pkg/registry/apps/replicaset/strategy.go`. */
export const replicaSets: Traits<ReplicaSet> = {
  immutable: ["spec.selector"],
  generation: ({ spec }) => spec,
  defaults({ spec }, gates) {
    if (!spec) return;
    spec.replicas ??= 1;
    defaultTemplate(spec.template ??= {}, gates);
  },
  validate({ spec }, errors) {
    replicaCounts(spec ?? {}, "spec", errors);
    validateReplicated(spec ?? {}, errors);
  },
  validateStatus: ({ status }, old, errors) => validateCounters(REPLICA_COUNTERS, status, old.status, errors),
  warnings: (object, old) => workloadWarnings(object, old, object.spec?.template),
};

/** Upstream: `pkg/registry/core/replicationcontroller/strategy.go`. */
export const replicationControllers: Traits<ReplicationController> = {
  names: "longName",
  orphansByDefault: true,
  generation: ({ spec }) => spec,
  defaults({ metadata, spec }, gates) {
    if (!spec) return;
    spec.replicas ??= 1;
    defaultTemplate(spec.template, gates);
    const labels = spec.template?.metadata?.labels;
    if (!labels) return;
    spec.selector ??= { ...labels };
    metadata.labels ??= { ...labels };
  },
  validate({ spec }, errors) {
    const { selector = {}, template } = spec ?? {};
    replicaCounts(spec ?? {}, "spec", errors);
    const wanted = Object.entries(selector);
    if (wanted.length === 0) errors.required("spec.selector");
    if (!template) return errors.required("spec.template");
    const labels = template.metadata?.labels ?? {};
    if (wanted.some(([key, value]) => labels[key] !== value)) reportMismatch(template, errors);
    validateTemplate(template, "spec.template", errors);
    validateRunsForever(template, "ReplicationController", errors);
  },
  validateStatus: ({ status }, old, errors) => validateCounters(REPLICA_COUNTERS, status, old.status, errors),
  warnings: (object, old) => workloadWarnings(object, old, object.spec?.template),
};
