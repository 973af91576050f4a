import {
  type FlowSchema,
  type MutatingAdmissionPolicy,
  type PriorityLevelConfiguration,
  type ResourceSlice,
  type ResourceV1ResourceClaim,
  selectorGoText,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
  type ValidatingWebhookConfiguration,
} from "../../../../api/mod.ts";
import { AGE, type Column, integer, NAME, NONE, type TableRules, text, UNSET } from "../columns/mod.ts";

/** For mutating and validating ones. */
export const webhookConfigurations: readonly Column<ValidatingWebhookConfiguration>[] = [
  NAME,
  integer("Webhooks", ({ webhooks }) => webhooks?.length ?? 0),
  AGE,
];

function paramKindText({ spec }: ValidatingAdmissionPolicy | MutatingAdmissionPolicy): string {
  const { apiVersion, kind } = spec?.paramKind ?? {};
  return spec?.paramKind ? `${apiVersion ?? ""}/${kind ?? ""}` : UNSET;
}

export const validatingAdmissionPolicies: readonly Column<ValidatingAdmissionPolicy>[] = [
  NAME,
  integer("Validations", ({ spec }) => spec?.validations?.length ?? 0),
  text("ParamKind", paramKindText),
  AGE,
];

export const mutatingAdmissionPolicies: readonly Column<MutatingAdmissionPolicy>[] = [
  NAME,
  integer("Mutations", ({ spec }) => spec?.mutations?.length ?? 0),
  text("ParamKind", paramKindText),
  AGE,
];

function paramRefText({ spec }: ValidatingAdmissionPolicyBinding): string {
  const { name, namespace, selector } = spec?.paramRef ?? {};
  if (name) return `${namespace || "*"}/${name}`;
  return selector ? selectorGoText(selector) : UNSET;
}

/** For mutating and validating ones. */
export const admissionPolicyBindings: readonly Column<ValidatingAdmissionPolicyBinding>[] = [
  NAME,
  text("PolicyName", ({ spec }) => spec?.policyName),
  text("ParamRef", paramRefText),
  AGE,
];

function danglingText({ status }: FlowSchema): string {
  return status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?";
}

export const flowSchemas: TableRules<FlowSchema> = {
  columns: [
    NAME,
    text("PriorityLevel", ({ spec }) => spec?.priorityLevelConfiguration?.name),
    text("MatchingPrecedence", ({ spec }) => spec?.matchingPrecedence ?? 0),
    text("DistinguisherMethod", ({ spec }) => spec?.distinguisherMethod?.type ?? NONE),
    AGE,
    text("MissingPL", danglingText),
  ],
  compare: (a, b) => (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0),
};

export const priorityLevels: readonly Column<PriorityLevelConfiguration>[] = [
  NAME,
  text("Type", ({ spec }) => spec?.type),
  text("NominalConcurrencyShares", ({ spec }) => spec?.limited ? spec.limited.nominalConcurrencyShares ?? 0 : NONE),
  text("Queues", ({ spec }) => spec?.limited?.limitResponse?.queuing?.queues ?? NONE),
  text("HandSize", ({ spec }) => spec?.limited?.limitResponse?.queuing?.handSize ?? NONE),
  text("QueueLengthLimit", ({ spec }) => spec?.limited?.limitResponse?.queuing?.queueLengthLimit ?? NONE),
  AGE,
];

function claimState({ metadata, status }: ResourceV1ResourceClaim): string {
  const states: string[] = metadata?.deletionTimestamp ? ["deleted"] : [];
  if (status?.allocation) states.push("allocated", ...status.reservedFor?.length ? ["reserved"] : []);
  else if (!metadata?.deletionTimestamp) states.push("pending");
  return states.join(",");
}

export const resourceClaims: readonly Column<ResourceV1ResourceClaim>[] = [NAME, text("State", claimState), AGE];

export const resourceSlices: readonly Column<ResourceSlice>[] = [
  NAME,
  text("Node", ({ spec }) => spec?.nodeName),
  text("Driver", ({ spec }) => spec?.driver),
  text("Pool", ({ spec }) => spec?.pool?.name),
  AGE,
];
