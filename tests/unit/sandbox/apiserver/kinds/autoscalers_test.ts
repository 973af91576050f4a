/** What autoscalers may refer to; each answer is a real API server's. */
import { assertEquals } from "@std/assert";
import { Harness, type Loose } from "../harness.ts";

const AUTOSCALERS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
const GOOD = { apiVersion: "apps/v1", kind: "Deployment", name: "a" };
const MALFORMED = "unexpected GroupVersion string: a/b/c";

function autoscaler(scaleTargetRef: object, spec: object = {}): Loose {
  const metadata = { name: "h" };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata,
    spec: { scaleTargetRef, maxReplicas: 3, ...spec },
  };
}

const ofObject = (describedObject: object) => ({
  metrics: [{
    type: "Object",
    object: { describedObject, metric: { name: "m" }, target: { type: "Value", value: "1" } },
  }],
});

const problemsOf = (body: Loose): string[] =>
  body.details?.causes?.map(({ field, message }: Loose) => `${field}: ${message}`) ?? [];

const REFERENCES: readonly (readonly [name: string, body: Loose, problems: readonly string[]])[] = [
  ["a Deployment", autoscaler(GOOD), []],
  ["no version", autoscaler({ ...GOOD, apiVersion: undefined }), [
    'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
  ]],
  ["the core group", autoscaler({ apiVersion: "v1", kind: "Pod", name: "a" }), [
    'spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group',
  ]],
  ["a ReplicationController", autoscaler({ apiVersion: "v1", kind: "ReplicationController", name: "a" }), []],
  ["a ReplicationController of no version", autoscaler({ kind: "ReplicationController", name: "a" }), []],
  ["a malformed version", autoscaler({ ...GOOD, apiVersion: "a/b/c" }), [
    `spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": ${MALFORMED}`,
  ]],
  ["nothing", autoscaler({}), [
    "spec.scaleTargetRef.kind: Required value",
    "spec.scaleTargetRef.name: Required value",
    'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
  ]],
  ["slashes", autoscaler({ ...GOOD, kind: "De/pl", name: "a/b" }), [
    "spec.scaleTargetRef.kind: Invalid value: \"De/pl\": may not contain '/'",
    "spec.scaleTargetRef.name: Invalid value: \"a/b\": may not contain '/'",
  ]],
  ["metrics of an object of the core group", autoscaler(GOOD, ofObject({ kind: "Service", name: "s" })), []],
  ["metrics of an object of a malformed version", autoscaler(GOOD, ofObject({ ...GOOD, apiVersion: "a/b/c" })), [
    `spec.metrics[0].object.describedObject.apiVersion: Invalid value: "a/b/c": ${MALFORMED}`,
  ]],
  ["metrics of nothing", autoscaler(GOOD, ofObject({})), [
    "spec.metrics[0].object.describedObject.kind: Required value",
    "spec.metrics[0].object.describedObject.name: Required value",
  ]],
];

for (const [name, body, problems] of REFERENCES) {
  Deno.test(`ApiServer ${problems.length > 0 ? "refuses" : "takes"} an autoscaler that refers to ${name}`, async () => {
    using api = new Harness();
    const answer = await api.post(AUTOSCALERS, body);
    assertEquals([answer.status, problemsOf(answer.body)], [problems.length > 0 ? 422 : 201, problems]);
  });
}

Deno.test("ApiServer checks the version of what an autoscaler scales only where it is new", async () => {
  using api = new Harness();
  await api.post(AUTOSCALERS, autoscaler({ apiVersion: "v1", kind: "ReplicationController", name: "a" }));
  const change = (spec: object) => api.patch(`${AUTOSCALERS}/h`, { spec });
  assertEquals((await change({ scaleTargetRef: { name: "b" }, maxReplicas: 4 })).status, 200);
  assertEquals((await change({ scaleTargetRef: { kind: "Deployment" } })).status, 422);
  assertEquals((await change({ scaleTargetRef: { kind: "Deployment", apiVersion: "apps/v1" } })).status, 200);
  assertEquals((await change({ scaleTargetRef: { apiVersion: "v1" } })).status, 422);
});
