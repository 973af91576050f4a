/** What scenarios of admission policies begin with, and how they write down what was found. */
import {
  CONFIGMAPS,
  type CustomResourceDefinition,
  type JSONSchemaProps,
  VALIDATINGADMISSIONPOLICIES,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicySpec,
} from "../../src/api/mod.ts";
import { definitionOf } from "./custom_kind.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";

const GROUP = "policies.example.com";
const string = { type: "string" };
const integer = { type: "integer" };
const listOf = (items: JSONSchemaProps) => ({ type: "array", items });
const mapOf = (additionalProperties: JSONSchemaProps) => ({ type: "object", additionalProperties });
const objectOf = (properties: Record<string, JSONSchemaProps>) => ({ type: "object", properties });

/** The definition of a kind with fields of every type. */
export const WIDGET_DEFINITION: CustomResourceDefinition = definitionOf(
  { group: GROUP, version: "v1", plural: "widgets", kind: "Widget" },
  {
    schema: {
      openAPIV3Schema: objectOf({
        spec: objectOf({
          size: integer,
          ratio: { type: "number" },
          on: { type: "boolean" },
          name: string,
          data: { type: "string", format: "byte" },
          every: { type: "string", format: "duration" },
          at: { type: "string", format: "date-time" },
          day: { type: "string", format: "date" },
          port: { "x-kubernetes-int-or-string": true },
          anything: { "x-kubernetes-preserve-unknown-fields": true },
          free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          tags: listOf(string),
          numbers: listOf(integer),
          matrix: listOf(listOf(integer)),
          limits: mapOf(integer),
          parts: mapOf(objectOf({ a: string, b: integer })),
          ports: listOf(objectOf({ name: string, number: integer, target: { "x-kubernetes-int-or-string": true } })),
          namespace: string,
          "my-field": integer,
          "a.b": string,
          "a/b": string,
          "x__y": string,
          in: integer,
          template: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
        }),
      }),
    },
  },
);

/** The definition of what policies have as parameters. */
export const LIMIT_DEFINITION: CustomResourceDefinition = definitionOf(
  { group: GROUP, version: "v1", plural: "limits", kind: "Limit" },
  { schema: { openAPIV3Schema: objectOf({ max: integer, names: listOf(string), spec: objectOf({ max: integer }) }) } },
);

/** A rule of a policy, in short. */
export interface Rule {
  readonly groups: readonly string[];
  readonly versions?: readonly string[];
  readonly resources: readonly string[];
}

export const WIDGETS: Rule = { groups: [GROUP], resources: ["widgets"] };
export const DEPLOYMENTS_RULE: Rule = { groups: ["apps"], resources: ["deployments"] };
export const LIMIT = { apiVersion: `${GROUP}/v1`, kind: "Limit" };

/** The rules of a policy. */
export function about(...rules: readonly Rule[]): NonNullable<ValidatingAdmissionPolicySpec["matchConstraints"]> {
  return {
    resourceRules: rules.map(({ groups, versions = ["v1"], resources }) => ({
      apiGroups: [...groups],
      apiVersions: [...versions],
      resources: [...resources],
      operations: ["*"],
    })),
  };
}

/** Makes a policy, waits until it was checked, and writes down what was found. */
export async function check(kit: Kit, name: string, spec: ValidatingAdmissionPolicySpec): Promise<void> {
  const policy = `${kit.namespace}-${name}`;
  await kit.create(VALIDATINGADMISSIONPOLICIES, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: policy },
    spec: { failurePolicy: "Ignore", ...spec },
  });
  await writeDown(kit, name, await untilChecked(kit, policy));
  await kit.delete(VALIDATINGADMISSIONPOLICIES, policy);
}

/** Waits until the policy, as it is now, was checked. */
export async function untilChecked(kit: Kit, policy: string): Promise<ValidatingAdmissionPolicy> {
  return await kit.until(
    VALIDATINGADMISSIONPOLICIES,
    policy,
    "was checked",
    ({ metadata, status }) => status?.observedGeneration === metadata?.generation,
  );
}

/** Types have a random number after the name of their kind. */
const NUMBERED = /\b(Widget|Limit|Deployment|Pod|ConfigMap|Scale|[A-Z][A-Za-z]+)\d{1,9}\b/g;

/** Keeps what was found of a policy, and who owns it, where it is compared. */
export async function writeDown(
  kit: Kit,
  name: string,
  { metadata, status }: ValidatingAdmissionPolicy,
): Promise<void> {
  const { observedGeneration, typeChecking, ...rest } = status ?? {};
  // An empty one that has replaced warnings is shown by kube-apiserver at some times, at others not.
  const shown = typeChecking?.expressionWarnings ? { typeChecking, ...rest } : rest;
  const managers = (metadata?.managedFields ?? [])
    .filter(({ subresource }) => subresource === "status")
    .map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fieldsV1 }));
  const written = (value: unknown) => JSON.stringify(value, null, 1).replaceAll(NUMBERED, "$1<number>");
  await kit.create(CONFIGMAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data: { generation: String(observedGeneration), status: written(shown), managers: written(managers) },
  });
}

/** A scenario of one policy for each expression: what is wrong with it. */
export function expressionScenario(
  name: string,
  spec: Omit<ValidatingAdmissionPolicySpec, "validations">,
  expressions: readonly string[],
): Scenario {
  return {
    name,
    run: async (kit) => {
      for (const [i, expression] of expressions.entries()) {
        await check(kit, `expression-${i}`, { ...spec, validations: [{ expression }] });
      }
    },
  };
}
