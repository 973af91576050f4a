import type { DaemonSet, Deployment, ReplicaSet, ReplicationController, StatefulSet } from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import type { Traits } from "../traits.ts";
import type { FieldErrors } from "../validation/field_errors.ts";
import { defaultPodSpec } from "./pod_defaults.ts";
import { validateSelectorAndTemplate, validateTemplate } from "./pod_validation.ts";

const ALWAYS = ["Always"];

type Workload = Deployment | ReplicaSet | StatefulSet | DaemonSet;

function validateWorkload({ spec }: Workload, errors: FieldErrors): void {
  validateCounts(spec ?? {}, "spec", ["replicas", "minReadySeconds", "revisionHistoryLimit"], errors);
  validateSelectorAndTemplate({ selector: spec?.selector, template: spec?.template, restartPolicies: ALWAYS }, errors);
}

function validateCounts(values: object, path: string, fields: readonly string[], errors: FieldErrors): void {
  for (const field of fields) {
    const value = (values as Readonly<Record<string, unknown>>)[field];
    if (typeof value === "number" && value < 0) {
      errors.invalid(`${path}.${field}`, value, "must be greater than or equal to 0");
    }
  }
}

function validateSelectorKept(object: Workload, old: Workload, errors: FieldErrors): void {
  if (deepEqual(object.spec?.selector, old.spec?.selector)) return;
  errors.invalid("spec.selector", object.spec?.selector, "field is immutable");
}

/** Counters of a status that cannot exceed another. */
function validateAtMost(
  status: object | undefined,
  limitField: string,
  fields: readonly string[],
  errors: FieldErrors,
): void {
  const counts = status as Readonly<Record<string, number | undefined>> | undefined;
  validateCounts(status ?? {}, "status", [limitField, ...fields], errors);
  for (const field of fields) {
    const value = counts?.[field] ?? 0;
    if (value > (counts?.[limitField] ?? 0)) {
      errors.invalid(`status.${field}`, value, `cannot be greater than status.${limitField}`);
    }
  }
}

/** Upstream: `pkg/registry/apps/deployment/strategy.go` and `pkg/apis/apps/validation`. */
export const deployments: Traits<Deployment> = {
  generation: ({ spec, metadata }) => ({ spec, annotations: metadata.annotations }),
  defaults({ spec }) {
    if (!spec) return;
    spec.replicas ??= 1;
    if (spec.template?.spec) defaultPodSpec(spec.template.spec);
    const strategy = spec.strategy ??= {};
    strategy.type ||= "RollingUpdate";
    if (strategy.type === "RollingUpdate") {
      strategy.rollingUpdate = { maxUnavailable: "25%", maxSurge: "25%", ...strategy.rollingUpdate };
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
  },
  prepareStatus(deployment, old) {
    if (old.metadata.labels) deployment.metadata.labels = { ...old.metadata.labels };
    else delete deployment.metadata.labels;
  },
  validate(deployment, errors) {
    validateWorkload(deployment, errors);
    const { strategy, minReadySeconds = 0, progressDeadlineSeconds } = deployment.spec ?? {};
    validateStrategy(strategy, errors);
    if (progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds) {
      errors.invalid("spec.progressDeadlineSeconds", progressDeadlineSeconds, "must be greater than minReadySeconds");
    }
  },
  validateUpdate: validateSelectorKept,
  validateStatus({ status }, old, errors) {
    validateAtMost(status, "replicas", ["updatedReplicas", "readyReplicas", "availableReplicas"], errors);
    if ((status?.collisionCount ?? 0) < (old.status?.collisionCount ?? 0)) {
      errors.invalid("status.collisionCount", status?.collisionCount, "cannot be decremented");
    }
  },
};

function validateStrategy(strategy: NonNullable<Deployment["spec"]>["strategy"], errors: FieldErrors): void {
  const field = "spec.strategy";
  const types = ["Recreate", "RollingUpdate"];
  const { type = "", rollingUpdate } = strategy ?? {};
  if (!types.includes(type)) return errors.notSupported(`${field}.type`, type, types);
  if (type === "Recreate") {
    if (!rollingUpdate) return;
    return errors.forbidden(`${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'");
  }
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  const isZero = (value: string | number | undefined) => value === 0 || value === "0%";
  if (!isZero(maxUnavailable) || !isZero(maxSurge)) return;
  errors.invalid(`${field}.rollingUpdate.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0");
}

/** Upstream: `pkg/registry/apps/replicaset/strategy.go`. */
export const replicaSets: Traits<ReplicaSet> = {
  generation: ({ spec }) => spec,
  defaults({ spec }) {
    if (!spec) return;
    spec.replicas ??= 1;
    if (spec.template?.spec) defaultPodSpec(spec.template.spec);
  },
  validate: validateWorkload,
  validateUpdate: validateSelectorKept,
  validateStatus({ status }, _old, errors) {
    validateAtMost(status, "replicas", ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"], errors);
    if ((status?.availableReplicas ?? 0) > (status?.readyReplicas ?? 0)) {
      errors.invalid("status.availableReplicas", status?.availableReplicas, "cannot be greater than readyReplicas");
    }
  },
};

/** Upstream: `pkg/registry/core/replicationcontroller/strategy.go`. */
export const replicationControllers: Traits<ReplicationController> = {
  orphansByDefault: true,
  generation: ({ spec }) => spec,
  defaults({ metadata, spec }) {
    if (!spec) return;
    spec.replicas ??= 1;
    if (spec.template?.spec) defaultPodSpec(spec.template.spec);
    const labels = spec.template?.metadata?.labels;
    if (!labels) return;
    spec.selector ??= { ...labels };
    metadata.labels ??= { ...labels };
  },
  validate({ spec }, errors) {
    validateTemplate(spec?.template, "spec.template", ALWAYS, errors);
    const labels = spec?.template?.metadata?.labels ?? {};
    if (!spec?.selector) return errors.required("spec.selector");
    if (Object.entries(spec.selector).every(([key, value]) => labels[key] === value)) return;
    errors.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
  },
  validateStatus({ status }, _old, errors) {
    validateAtMost(status, "replicas", ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"], errors);
  },
};

const STATEFUL_SET_MUTABLE = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

/** Upstream: `pkg/registry/apps/statefulset/strategy.go`. */
export const statefulSets: Traits<StatefulSet> = {
  names: "label",
  generation: ({ spec }) => spec,
  defaults({ spec }) {
    if (!spec) return;
    spec.podManagementPolicy ||= "OrderedReady";
    const strategy = spec.updateStrategy ??= {};
    if (!strategy.type) {
      strategy.type = "RollingUpdate";
      strategy.rollingUpdate ??= {};
    }
    if (strategy.type === "RollingUpdate" && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0;
    const retention = spec.persistentVolumeClaimRetentionPolicy ??= {};
    retention.whenDeleted ||= "Retain";
    retention.whenScaled ||= "Retain";
    spec.replicas ??= 1;
    spec.revisionHistoryLimit ??= 10;
    if (spec.template?.spec) defaultPodSpec(spec.template.spec);
    for (const claim of spec.volumeClaimTemplates ?? []) {
      claim.apiVersion = "v1";
      claim.kind = "PersistentVolumeClaim";
      claim.spec ??= {};
      claim.spec.volumeMode ??= "Filesystem";
      claim.status = { phase: "Pending", ...claim.status };
    }
  },
  validate: validateWorkload,
  validateUpdate({ spec }, old, errors) {
    const fixed = (values: object | undefined) =>
      Object.fromEntries(Object.entries(values ?? {}).filter(([field]) => !STATEFUL_SET_MUTABLE.includes(field)));
    if (deepEqual(fixed(spec), fixed(old.spec))) return;
    const list = STATEFUL_SET_MUTABLE.map((field) => `'${field}'`).join(", ").replace(/, ([^,]*)$/, " and $1");
    errors.forbidden("spec", `updates to statefulset spec for fields other than ${list} are forbidden`);
  },
};

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** Upstream: `pkg/registry/apps/daemonset/strategy.go`. */
export const daemonSets: Traits<DaemonSet> = {
  generation: ({ spec }) => spec,
  defaults({ spec }) {
    if (!spec) return;
    const strategy = spec.updateStrategy ??= {};
    strategy.type ||= "RollingUpdate";
    if (strategy.type === "RollingUpdate") {
      strategy.rollingUpdate = { maxUnavailable: 1, maxSurge: 0, ...strategy.rollingUpdate };
    }
    spec.revisionHistoryLimit ??= 10;
    if (spec.template?.spec) defaultPodSpec(spec.template.spec);
  },
  prepareCreate({ metadata }) {
    metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: "1" };
  },
  prepareUpdate(daemonSet, old) {
    const generation = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 1);
    const changed = !deepEqual(daemonSet.spec?.template, old.spec?.template);
    daemonSet.metadata.annotations = {
      ...daemonSet.metadata.annotations,
      [TEMPLATE_GENERATION]: String(generation + (changed ? 1 : 0)),
    };
  },
  validate: validateWorkload,
  validateUpdate: validateSelectorKept,
};
