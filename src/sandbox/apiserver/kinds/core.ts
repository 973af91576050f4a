import { encodeBase64 } from "@std/encoding/base64";
import type {
  ConfigMap,
  ControllerRevision,
  Endpoints,
  Event,
  LimitRange,
  Namespace,
  Node,
  ResourceQuota,
  Secret,
  ServiceAccount,
} from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import type { Stored, Traits } from "../traits.ts";
import type { FieldErrors } from "../validation/field_errors.ts";

/** Upstream: `pkg/registry/core/namespace`. A namespace goes when its content is gone, which spec.finalizers stands for. */
export const namespaces: Traits<Namespace> = {
  names: "label",
  answersDeleted: true,
  ignoresPropagation: true,
  defaults({ metadata, status }) {
    if (metadata.name) metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
    if (status && !status.phase) status.phase = "Active";
  },
  prepareCreate(namespace) {
    const finalizers = namespace.spec?.finalizers ?? [];
    namespace.spec = { finalizers: finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"] };
    namespace.status = { phase: "Active" };
  },
  prepareUpdate(namespace, old) {
    namespace.spec = { ...namespace.spec };
    if (old.spec?.finalizers) namespace.spec.finalizers = [...old.spec.finalizers];
    else delete namespace.spec.finalizers;
  },
  prepareDelete(namespace) {
    namespace.status = { ...namespace.status, phase: "Terminating" };
  },
  blocksRemoval: ({ spec }) => (spec?.finalizers?.length ?? 0) > 0,
};

/** Upstream: `pkg/registry/core/node/strategy.go`. Kubelets bring status along when they register. */
export const nodes: Traits<Node> = {
  keepsStatusOnCreate: true,
  defaults({ spec, status }) {
    if (spec?.podCIDR && !spec.podCIDRs) spec.podCIDRs = [spec.podCIDR];
    if (spec?.podCIDRs?.length && !spec.podCIDR) spec.podCIDR = spec.podCIDRs[0];
    if (status?.capacity && !status.allocatable) status.allocatable = { ...status.capacity };
  },
  validateUpdate({ spec }, old, errors) {
    const why = 'node updates may not change podCIDR except from "" to valid';
    if (old.spec?.podCIDRs?.length && !deepEqual(old.spec.podCIDRs, spec?.podCIDRs)) {
      errors.forbidden("spec.podCIDRs", why);
    }
    if (old.spec?.providerID && spec?.providerID !== old.spec.providerID) {
      errors.forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid');
    }
  },
};

type Holder = { immutable?: boolean; data?: unknown; binaryData?: unknown };

function validateStillMutable(object: Holder, old: Holder, errors: FieldErrors): void {
  if (!old.immutable) return;
  const why = "field is immutable when `immutable` is set";
  if (!object.immutable) errors.forbidden("immutable", why);
  for (const field of ["data", "binaryData"] as const) {
    if (!deepEqual(object[field], old[field])) errors.forbidden(field, why);
  }
}

export const configMaps: Traits<ConfigMap> = { validateUpdate: validateStillMutable };

const TOKEN_SECRET = "kubernetes.io/service-account-token";
const SERVICE_ACCOUNT_NAME = "kubernetes.io/service-account.name";

export const secrets: Traits<Secret> = {
  defaults(secret) {
    secret.type ||= "Opaque";
    const { stringData } = secret;
    if (!stringData) return;
    const encoded = Object.entries(stringData).map(([key, value]) => [key, encodeBase64(value)]);
    secret.data = { ...secret.data, ...Object.fromEntries(encoded) };
    delete secret.stringData;
  },
  validate({ type, metadata }, errors) {
    if (type !== TOKEN_SECRET || metadata.annotations?.[SERVICE_ACCOUNT_NAME]) return;
    errors.required(`metadata.annotations[${SERVICE_ACCOUNT_NAME}]`);
  },
  validateUpdate(secret, old, errors) {
    if (secret.type !== old.type) errors.invalid("type", secret.type, "field is immutable");
    validateStillMutable(secret, old, errors);
  },
};

export const serviceAccounts: Traits<ServiceAccount> = { answersDeleted: true };
export const resourceQuotas: Traits<ResourceQuota> = { answersDeleted: true };

export const limitRanges: Traits<LimitRange> = {
  createsOnUpdate: true,
  defaults({ spec }) {
    for (const limit of spec?.limits ?? []) {
      if (limit.type !== "Container") continue;
      const defaults = { ...limit.max, ...limit.default };
      const requests = { ...limit.min, ...defaults, ...limit.defaultRequest };
      if (Object.keys(defaults).length > 0) limit.default = defaults;
      if (Object.keys(requests).length > 0) limit.defaultRequest = requests;
    }
  },
};

export const endpoints: Traits<Endpoints> = {
  createsOnUpdate: true,
  defaults({ subsets }) {
    for (const { ports = [] } of subsets ?? []) for (const port of ports) port.protocol ||= "TCP";
  },
};

/** Events have no generation and are never kept by finalizers of a propagation policy. */
export const events: Traits<Event> = {
  createsOnUpdate: true,
  ignoresPropagation: true,
  validate({ involvedObject, metadata }: Stored<Event>, errors) {
    const namespace = involvedObject?.namespace ?? "";
    const fits = namespace === ""
      ? ["default", "kube-system"].includes(metadata.namespace ?? "")
      : namespace === metadata.namespace;
    if (!fits) errors.invalid("involvedObject.namespace", namespace, "does not match event.namespace");
  },
};

/** Revisions are history: only their number may change. */
export const controllerRevisions: Traits<ControllerRevision> = {
  validateUpdate({ data }, old, errors) {
    if (!deepEqual(data, old.data)) errors.invalid("data", data, "field is immutable");
  },
};
