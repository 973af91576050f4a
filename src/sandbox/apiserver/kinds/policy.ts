import type {
  AutoscalingV2HorizontalPodAutoscaler,
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  Lease,
  PodDisruptionBudget,
  PriorityClass,
  Role,
  RoleBinding,
  RuntimeClass,
} from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import type { Traits } from "../traits.ts";

const RBAC = "rbac.authorization.k8s.io";

/** RBAC objects are named after what they grant, colons included. */
export const clusterRoles: Traits<ClusterRole> = { names: "path", createsOnUpdate: true };
export const roles: Traits<Role> = { names: "path", createsOnUpdate: true };

export const roleBindings: Traits<RoleBinding & ClusterRoleBinding> = {
  names: "path",
  createsOnUpdate: true,
  defaults({ roleRef, subjects }) {
    if (roleRef) roleRef.apiGroup ||= RBAC;
    for (const subject of subjects ?? []) if (subject.kind !== "ServiceAccount") subject.apiGroup ||= RBAC;
  },
  validateUpdate({ roleRef }, old, errors) {
    if (!deepEqual(roleRef, old.roleRef)) errors.invalid("roleRef", roleRef, "cannot change roleRef");
  },
};

export const leases: Traits<Lease> = { createsOnUpdate: true, needsResourceVersion: true };

export const runtimeClasses: Traits<RuntimeClass> = { createsOnUpdate: true, needsResourceVersion: true };

export const podDisruptionBudgets: Traits<PodDisruptionBudget> = {
  needsResourceVersion: true,
  generation: ({ spec }) => spec,
  validate({ spec }, errors) {
    if (spec?.minAvailable === undefined || spec.maxUnavailable === undefined) return;
    errors.invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set");
  },
};

/** Priority classes carry a generation that never changes. */
export const priorityClasses: Traits<PriorityClass> = {
  generation: () => 1,
  defaults(priorityClass) {
    priorityClass.preemptionPolicy ??= "PreemptLowerPriority";
  },
  validateUpdate({ value }, old, errors) {
    if (value !== old.value) errors.forbidden("value", "may not be changed in an update.");
  },
};

export const horizontalPodAutoscalers: Traits<AutoscalingV2HorizontalPodAutoscaler> = {
  defaults({ spec }) {
    if (!spec) return;
    spec.minReplicas ??= 1;
    if (!spec.metrics?.length) {
      const target = { type: "Utilization", averageUtilization: 80 };
      spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
    }
    const { behavior } = spec;
    if (!behavior) return;
    behavior.scaleUp = {
      stabilizationWindowSeconds: 0,
      selectPolicy: "Max",
      policies: [{ type: "Pods", value: 4, periodSeconds: 15 }, { type: "Percent", value: 100, periodSeconds: 15 }],
      ...behavior.scaleUp,
    };
    behavior.scaleDown = {
      selectPolicy: "Max",
      policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
      ...behavior.scaleDown,
    };
  },
  validate({ spec }, errors) {
    if (!spec || spec.maxReplicas >= (spec.minReplicas ?? 1)) return;
    errors.invalid("spec.maxReplicas", spec.maxReplicas, "must be greater than or equal to `minReplicas`");
  },
};

/** Requests for certificates; the requestor is whoever creates them. */
export const certificateSigningRequests: Traits<CertificateSigningRequest> = {
  names: "path",
  prepareCreate({ spec }, { user }) {
    if (!spec) return;
    spec.username = user.username;
    spec.groups = [...user.groups];
    if (user.uid) spec.uid = user.uid;
    else delete spec.uid;
    if (user.extra) {
      spec.extra = Object.fromEntries(Object.entries(user.extra).map(([key, value]) => [key, [...value]]));
    } else delete spec.extra;
  },
  prepareUpdate(request, old) {
    request.spec = old.spec;
  },
  prepareStatus({ status }, old) {
    const isDecision = (type: string) => type === "Approved" || type === "Denied";
    const decided = old.status?.conditions?.filter(({ type }) => isDecision(type)) ?? [];
    const others = status?.conditions?.filter(({ type }) => !isDecision(type)) ?? [];
    if (status && decided.length + others.length > 0) status.conditions = [...decided, ...others];
  },
  validateStatus({ status }, old, errors) {
    if (!old.status?.certificate || status?.certificate === old.status.certificate) return;
    errors.forbidden("status.certificate", "updates may not set or modify the certificate");
  },
};
