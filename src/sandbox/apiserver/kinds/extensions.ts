import type { FlowSchema, PriorityLevelConfiguration, ValidatingAdmissionPolicy } from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import type { Stored, Traits } from "../traits/mod.ts";
import { validatePolicy } from "./admission_policies.ts";

/** Warns the writer of a policy or binding that it is not enforced. */
function unenforced(policies: string, consequence: string): NonNullable<Traits["warnings"]> {
  const text = `${policies} and their bindings are stored, but this server does not enforce them: ${consequence}`;
  return ({ spec }, old) => deepEqual(spec, old?.spec) ? [] : [text];
}

const VALIDATING = unenforced("ValidatingAdmissionPolicies", "objects that violate them are accepted");
const MUTATING = unenforced("MutatingAdmissionPolicies", "objects stay as they are");

/** Policies are validated and stored, but not enforced. */
export const admissionPolicies: Traits<ValidatingAdmissionPolicy> = {
  validate: validatePolicy,
  warnings: (policy, old) => VALIDATING(policy as Stored<StoredObject>, old as Stored<StoredObject>),
  needsResourceVersion: true,
  keepsMetadataOnStatus: true,
  generation: ({ spec }) => spec,
  defaults({ spec = {} }) {
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
  warnings: VALIDATING,
};

/** Mutating policies and their bindings. */
export const mutatingPolicies: typeof admissionPolicyBindings = { ...admissionPolicyBindings, warnings: MUTATING };

/** Flow schemas and priority levels. */
export const flowControl: Traits<FlowSchema | PriorityLevelConfiguration> = {
  keepsMetadataOnStatus: true,
  generation: ({ spec }) => spec,
};
