import type { StoredObject } from "../../storage/mod.ts";
import { confirmNoEscalation } from "../authorization/mod.ts";
import { allowApproval, allowSigning, keepMastersOut } from "./certificates.ts";
import { allowGrowth } from "./claim_resize.ts";
import { addIngressClass, addStorageClass } from "./default_classes.ts";
import { addDefaultResources, keepClaimLimits, keepPodLimits } from "./limit_ranger.ts";
import { requireTemplate } from "./groups.ts";
import { keepOutOfEnding, keepSystemNamespaces } from "./namespace_lifecycle.ts";
import { addNotReadyTaint, addTopologyLabels } from "./nodes.ts";
import { type Admission, type Commit, EVERY_KIND, EVERY_MOMENT, type Moment, type Rule } from "../operations/mod.ts";
import { keepWithinNode } from "./pod_resize.ts";
import { checkSecurityLabels, keepPodSecure, warnOfTemplate } from "./pod_security/mod.ts";
import { addPriority, keepOneDefaultClass, keepPriority } from "./priority.ts";
import { chargeQuotas, chargeScopeChange } from "./resource_quota.ts";
import { applyRuntimeClass, keepOverhead } from "./runtime_class.ts";
import { addServiceAccount, requireAccount } from "./service_account.ts";
import { addDefaultTolerations } from "./tolerations.ts";
import { callMutatingWebhooks, callValidatingWebhooks } from "./webhooks.ts";

const PODS = "pods";
const CLAIMS = "persistentvolumeclaims";
/** The kinds with a pod template. */
const TEMPLATED = [
  "replicationcontrollers",
  "podtemplates",
  "replicasets.apps",
  "deployments.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "cronjobs.batch",
];
const ROLE_KINDS = ["roles", "clusterroles", "rolebindings", "clusterrolebindings"];
const SIGNING_REQUESTS = "certificatesigningrequests.certificates.k8s.io";

/**
 * All plugins in upstream's order. Upstream: `pkg/kubeapiserver/options/plugins.go` (AllOrderedPlugins; those on by
 * default). StorageObjectInUseProtection is missing: the `finalizers` in kinds' traits do its work.
 */
export const CHAIN: readonly Rule[] = [
  { plugin: "NamespaceLifecycle", of: EVERY_KIND, at: ["create", "create/subresource"], admit: keepOutOfEnding },
  { plugin: "NamespaceLifecycle", of: "namespaces", at: ["delete"], admit: keepSystemNamespaces },
  {
    plugin: "LimitRanger",
    of: PODS,
    at: ["create", "update/resize"],
    admit: addDefaultResources,
    validate: keepPodLimits,
  },
  { plugin: "LimitRanger", of: CLAIMS, at: ["create", "update"], validate: keepClaimLimits },
  { plugin: "ServiceAccount", of: PODS, at: ["create"], admit: addServiceAccount },
  { plugin: "ServiceAccount", of: PODS, at: ["update/ephemeralcontainers"], validate: requireAccount },
  { plugin: "TaintNodesByCondition", of: "nodes", at: ["create"], admit: addNotReadyTaint },
  {
    plugin: "PodSecurity",
    of: PODS,
    at: ["create", "update", "update/ephemeralcontainers", "update/resize"],
    validate: keepPodSecure,
  },
  { plugin: "PodSecurity", of: "namespaces", at: ["create", "update"], validate: checkSecurityLabels },
  ...TEMPLATED.map((of): Rule => ({ plugin: "PodSecurity", of, at: ["create", "update"], validate: warnOfTemplate })),
  { plugin: "Priority", of: PODS, at: ["create"], admit: addPriority },
  { plugin: "Priority", of: PODS, at: ["update"], admit: keepPriority },
  {
    plugin: "Priority",
    of: "priorityclasses.scheduling.k8s.io",
    at: ["create", "update"],
    validate: keepOneDefaultClass,
  },
  { plugin: "DefaultTolerationSeconds", of: PODS, at: ["create", "update"], admit: addDefaultTolerations },
  { plugin: "DefaultStorageClass", of: CLAIMS, at: ["create"], admit: addStorageClass },
  { plugin: "PersistentVolumeClaimResize", of: CLAIMS, at: ["update"], validate: allowGrowth },
  { plugin: "RuntimeClass", of: PODS, at: ["create"], admit: applyRuntimeClass, validate: keepOverhead },
  { plugin: "CertificateApproval", of: SIGNING_REQUESTS, at: ["update/approval"], validate: allowApproval },
  { plugin: "CertificateSigning", of: SIGNING_REQUESTS, at: ["update/status"], validate: allowSigning },
  { plugin: "CertificateSubjectRestriction", of: SIGNING_REQUESTS, at: ["create"], validate: keepMastersOut },
  { plugin: "DefaultIngressClass", of: "ingresses.networking.k8s.io", at: ["create"], admit: addIngressClass },
  { plugin: "PodTopologyLabels", of: PODS, at: ["create"], admit: addTopologyLabels },
  { plugin: "PodGroupWorkloadExists", of: "podgroups.scheduling.k8s.io", at: ["create"], validate: requireTemplate },
  { plugin: "PodResizeValidator", of: PODS, at: ["update/resize"], validate: keepWithinNode },
  { plugin: "MutatingAdmissionWebhook", of: EVERY_KIND, at: EVERY_MOMENT, admit: callMutatingWebhooks },
  { plugin: "ValidatingAdmissionWebhook", of: EVERY_KIND, at: EVERY_MOMENT, validate: callValidatingWebhooks },
  { plugin: "ResourceQuota", of: EVERY_KIND, at: ["create"], validate: chargeQuotas },
  { plugin: "ResourceQuota", of: PODS, at: ["update/resize"], validate: chargeQuotas },
  { plugin: "ResourceQuota", of: PODS, at: ["update"], validate: chargeScopeChange },
  { plugin: "ResourceQuota", of: "services", at: ["update"], validate: chargeQuotas },
  { plugin: "ResourceQuota", of: CLAIMS, at: ["update", "update/status"], validate: chargeQuotas },
  { plugin: "ResourceQuota", of: "resourceclaims.resource.k8s.io", at: ["update"], validate: chargeQuotas },
  // Not a plugin upstream, but checked at the same point: after defaults, before validation.
  ...ROLE_KINDS.map((kind): Rule<StoredObject> => ({
    plugin: "RoleEscalation",
    of: `${kind}.rbac.authorization.k8s.io`,
    at: ["create", "update"],
    admit: ({ operation, object, old }) => confirmNoEscalation(operation, object, old),
  })),
];

const NAMED = new Set(CHAIN.map(({ of }) => of));
const CHAINS = new Map<string, readonly Rule[]>();

/** The rules for a kind at a moment. All kinds that the table does not name share one list. */
function rulesFor(moment: Moment, collection: string): readonly Rule[] {
  const kind = NAMED.has(collection) ? collection : EVERY_KIND;
  const key = `${moment} ${kind}`;
  let rules = CHAINS.get(key);
  if (!rules) {
    const concerns = ({ of, at }: Rule) =>
      (of === kind || of === EVERY_KIND) && (at === EVERY_MOMENT || at.includes(moment));
    CHAINS.set(key, rules = CHAIN.filter(concerns));
  }
  return rules;
}

/**
 * Lets every plugin set fields of a write or refuse it, before validation; twice if webhooks changed the object.
 * Upstream: `admission/reinvocation.go`.
 *
 * @throws {ApiError} If the write may not be made.
 */
export function admit(admission: Admission): void {
  const { moment, operation } = admission;
  const rules = rulesFor(moment, operation.served.collection);
  for (const rule of rules) rule.admit?.(admission);
  if (operation.webhooks?.needsReinvocation) { for (const rule of rules) rule.admit?.(admission); }
}

/**
 * Lets every plugin refuse a valid, named object.
 *
 * @returns Makes the writes that belong to the object's. Called right before it is stored, but not for a dry run.
 * @throws {ApiError} If the write may not be made.
 */
export function validateAdmission(admission: Admission): Commit {
  const commits: Commit[] = [];
  for (const rule of rulesFor(admission.moment, admission.operation.served.collection)) {
    const commit = rule.validate?.(admission);
    if (commit) commits.push(commit);
  }
  return () => commits.forEach((commit) => commit());
}
