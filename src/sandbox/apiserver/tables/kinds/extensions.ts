import {
  type FlowSchema,
  type KubeObject,
  type ResourceV1ResourceClaim,
  selectorGoText,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
} from "../../../../api/mod.ts";
import { AGE, type Column, integer, NAME, NONE, type TableRules, text, UNSET } from "../columns/mod.ts";

function paramKindText({ spec }: ValidatingAdmissionPolicy): string {
  const { apiVersion, kind } = spec?.paramKind ?? {};
  return spec?.paramKind ? `${apiVersion ?? ""}/${kind ?? ""}` : UNSET;
}

/** Policies, and how many of what they consist of. */
export const policies = (parts: "Mutations" | "Validations"): readonly Column<ValidatingAdmissionPolicy>[] => [
  NAME,
  integer(parts, `spec.${parts.toLowerCase()}.length`),
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
  text("PolicyName", "spec.policyName"),
  text("ParamRef", paramRefText),
  AGE,
];

export const flowSchemas: TableRules<FlowSchema> = {
  columns: [
    NAME,
    text("PriorityLevel", "spec.priorityLevelConfiguration.name"),
    text("MatchingPrecedence", "spec.matchingPrecedence", 0),
    text("DistinguisherMethod", "spec.distinguisherMethod.type", NONE),
    AGE,
    text("MissingPL", ({ status }) => status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?"),
  ],
  compare: (a, b) => (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0),
};

const QUEUING = "spec.limited.limitResponse.queuing";

export const priorityLevels: readonly Column<KubeObject>[] = [
  NAME,
  text("Type", "spec.type"),
  text("NominalConcurrencyShares", "spec.limited.nominalConcurrencyShares", NONE),
  text("Queues", `${QUEUING}.queues`, NONE),
  text("HandSize", `${QUEUING}.handSize`, NONE),
  text("QueueLengthLimit", `${QUEUING}.queueLengthLimit`, NONE),
  AGE,
];

function claimState({ metadata, status }: ResourceV1ResourceClaim): string {
  const states: string[] = metadata?.deletionTimestamp ? ["deleted"] : [];
  if (status?.allocation) states.push("allocated", ...status.reservedFor?.length ? ["reserved"] : []);
  else if (!metadata?.deletionTimestamp) states.push("pending");
  return states.join(",");
}

export const resourceClaims: readonly Column<ResourceV1ResourceClaim>[] = [NAME, text("State", claimState), AGE];
