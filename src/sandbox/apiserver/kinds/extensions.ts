import type {
  DeviceClass,
  FlowSchema,
  MutatingWebhookConfiguration,
  PriorityLevelConfiguration,
  ResourceClaimTemplate,
  ResourceSlice,
  ResourceV1ResourceClaim,
  ValidatingAdmissionPolicy,
  ValidatingWebhookConfiguration,
} from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import type { Traits } from "../traits.ts";

type Webhooks = ValidatingWebhookConfiguration & MutatingWebhookConfiguration;

export const webhookConfigurations: Traits<Webhooks> = {
  needsResourceVersion: true,
  generation: ({ webhooks }) => webhooks,
  defaults({ webhooks }) {
    for (const webhook of webhooks ?? []) {
      webhook.failurePolicy ??= "Fail";
      webhook.matchPolicy ??= "Equivalent";
      webhook.namespaceSelector ??= {};
      webhook.objectSelector ??= {};
      webhook.timeoutSeconds ??= 10;
      for (const rule of webhook.rules ?? []) rule.scope ??= "*";
      if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= 443;
    }
  },
};

/** Policies are stored, not enforced. */
export const admissionPolicies: Traits<ValidatingAdmissionPolicy> = {
  needsResourceVersion: true,
  generation: ({ spec }) => spec,
  defaults({ spec }) {
    if (!spec) return;
    spec.failurePolicy ??= "Fail";
    const match = spec.matchConstraints;
    if (!match) return;
    match.matchPolicy ??= "Equivalent";
    match.namespaceSelector ??= {};
    match.objectSelector ??= {};
    for (const rule of [...match.resourceRules ?? [], ...match.excludeResourceRules ?? []]) rule.scope ??= "*";
  },
};

export const admissionPolicyBindings: Traits<{ spec?: unknown } & StoredObject> = {
  needsResourceVersion: true,
  generation: ({ spec }) => spec,
};

export const resourceClaims: Traits<ResourceV1ResourceClaim & ResourceClaimTemplate> = {
  answersDeleted: true,
  defaults(object) {
    const spec = (object.spec as { spec?: unknown } | undefined)?.spec ? object.spec?.spec : object.spec;
    const { devices } = spec as { devices?: { requests?: DeviceRequests } } ?? {};
    for (const { exactly, firstAvailable = [] } of devices?.requests ?? []) {
      for (const request of [exactly, ...firstAvailable]) {
        if (!request) continue;
        request.allocationMode ||= "ExactCount";
        if (request.allocationMode === "ExactCount") request.count ||= 1;
      }
    }
  },
};

type DeviceRequest = { allocationMode?: string; count?: number };
type DeviceRequests = ReadonlyArray<{ exactly?: DeviceRequest; firstAvailable?: DeviceRequest[] }>;

export const resourceSlices: Traits<ResourceSlice> = { answersDeleted: true, generation: ({ spec }) => spec };
export const deviceClasses: Traits<DeviceClass> = { answersDeleted: true, generation: ({ spec }) => spec };
export const flowSchemas: Traits<FlowSchema> = { generation: ({ spec }) => spec };
export const priorityLevels: Traits<PriorityLevelConfiguration> = { generation: ({ spec }) => spec };
