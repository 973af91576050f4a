/** Admission policies: what may be demanded in them. */
import type { DifferentialCase, Probe } from "../probe.ts";
import { type Fields, post } from "../requests.ts";

const POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All";
const RULE = { operations: ["*"], apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments"] };
const matchConstraints = { resourceRules: [RULE] };

const policy = (spec: Fields): Probe =>
  post(POLICIES, { metadata: { name: "{ns}" }, spec: { matchConstraints, ...spec } });
const demanding = (...expressions: string[]): Probe =>
  policy({ validations: expressions.map((expression) => ({ expression })) });

export const CASES: readonly DifferentialCase[] = [
  {
    name: "expressions of admission policies that do not compile",
    probes: [
      demanding("1 +"),
      demanding("object.spec.replicas > 'x' && 1 > 'x'", "has(object)", "for == 1"),
      demanding("object.spec.replicas", "1", "[1] == [1]", "[1]"),
      demanding(" "),
      demanding("request.nope == 1 || namespaceObject.nope == 1 || nothing == 1"),
      demanding("authorizer.requestResource.check('get').allowed() && authorizer.nope()"),
      demanding("params.x == 1"),
      demanding("object.spec.tags.all(1, true) || object.a.all(a, a, true)"),
      demanding("'%d'.format(['x']) == '' || [1, 'x'] == []"),
      demanding("object.a == 1\n && objec.b == 2"),
    ],
  },
  {
    name: "parts of admission policies",
    probes: [
      policy({}),
      policy({ validations: [{ expression: "true" }], failurePolicy: "Maybe" }),
      policy({ validations: [{ expression: "true" }], matchConstraints: {} }),
      policy({
        validations: [{ expression: "true" }],
        matchConstraints: { resourceRules: [{ ...RULE, resources: [] }] },
      }),
      policy({ validations: [{ expression: "true", messageExpression: "1" }] }),
      policy({ validations: [{ expression: "true", messageExpression: "authorizer.x" }] }),
      policy({ validations: [{ expression: "true", messageExpression: " ", message: "a\nb" }] }),
      policy({ validations: [{ expression: "true", reason: "Because" }] }),
      policy({ validations: [{ expression: "variables.a" }], variables: [{ name: "a", expression: "1" }] }),
      policy({ validations: [{ expression: "true" }], variables: [{ name: "a-b", expression: "1 +" }] }),
      policy({ validations: [{ expression: "true" }], variables: [{ name: "", expression: "" }] }),
      policy({ validations: [{ expression: "true" }], matchConditions: [{ name: "", expression: "" }] }),
      policy({
        validations: [{ expression: "true" }],
        matchConditions: [{ name: "a", expression: "1" }, { name: "a", expression: "params.x == 1" }],
      }),
      policy({ auditAnnotations: [{ key: "a", valueExpression: "1" }, { key: "a", valueExpression: "'x'" }] }),
      policy({ auditAnnotations: [{ key: "a", valueExpression: "null" }, { key: "", valueExpression: "" }] }),
      policy({ validations: [{ expression: "params.x == 1" }], paramKind: { apiVersion: "a/b/c", kind: "" } }),
    ],
  },
];
