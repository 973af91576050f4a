import { assert, assertEquals, assertThrows } from "@std/assert";
import { openApiSchemas } from "../../../../../src/api/mod.ts";
import { DecodeError, type Findings, normalise } from "../../../../../src/sandbox/apiserver/schema/normalise.ts";
import { FIELDS } from "../../../../../src/sandbox/apiserver/schema/generated_fields.ts";
import { structOf } from "../../../../../src/sandbox/apiserver/schema/types.ts";

const CASES: ReadonlyArray<readonly [what: string, type: string, input: object, output: object]> = [
  ["drops plain zeros", "core.v1.Container", { name: "c", stdin: false, command: [], resources: {} }, {
    name: "c",
    resources: {},
  }],
  ["keeps zeros behind pointers", "apps.v1.ReplicaSetSpec", { replicas: 0, minReadySeconds: 0, selector: {} }, {
    replicas: 0,
    selector: {},
    template: { metadata: {}, spec: { containers: null } },
  }],
  ["writes what has no omitempty", "apps.v1.ReplicaSetStatus", {}, { replicas: 0 }],
  ["writes null for required lists and times", "core.v1.PodCondition", { type: "Ready", status: "True" }, {
    type: "Ready",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: null,
  }],
  ["makes quantities canonical", "core.v1.ResourceRequirements", { limits: { memory: "1024Mi", cpu: "1000m" } }, {
    limits: { cpu: "1", memory: "1Gi" },
  }],
  ["makes times canonical", "core.v1.ContainerStateRunning", { startedAt: "2026-01-01T02:00:00.5+02:00" }, {
    startedAt: "2026-01-01T00:00:00Z",
  }],
  ["gives micro times six digits", "coordination.v1.LeaseSpec", { renewTime: "2026-01-01T00:00:00Z" }, {
    renewTime: "2026-01-01T00:00:00.000000Z",
  }],
  ["keeps ports as number or name", "core.v1.TCPSocketAction", { port: "http" }, { port: "http" }],
  [
    "leaves raw JSON alone",
    "apps.v1.ControllerRevision",
    { metadata: {}, revision: 1, data: { a: { b: null, c: 0 } } },
    {
      metadata: {},
      data: { a: { b: null, c: 0 } },
      revision: 1,
    },
  ],
];

for (const [what, type, input, output] of CASES) {
  Deno.test(`normalise ${what}`, () => {
    assertEquals(normalise(input, structOf(type)!), { ...output });
  });
}

Deno.test("normalise is idempotent and does not change its input", () => {
  const input = Object.freeze({ containers: Object.freeze([Object.freeze({ name: "c", image: "", tty: false })]) });
  const once = normalise(input, structOf("core.v1.PodSpec")!);
  assertEquals(normalise(once, structOf("core.v1.PodSpec")!), once);
});

Deno.test("normalise names every field that the type does not have", () => {
  const findings: Findings = { unknown: [] };
  const pod = { kind: "Pod", apiVersion: "v1", extra: 1, spec: { containers: [{ name: "c", imge: "x" }], foo: {} } };
  normalise(pod, structOf("core.v1.Pod")!, findings);
  assertEquals(findings.unknown, ["spec.containers[0].imge", "spec.foo", "extra"]);
});

Deno.test("normalise refuses values of another type", () => {
  const bad: ReadonlyArray<readonly [string, object]> = [
    ["core.v1.Pod", { spec: [] }],
    ["core.v1.PodSpec", { containers: {} }],
    ["core.v1.PodSpec", { priority: "high" }],
    ["core.v1.PodSpec", { priority: 1.5 }],
    ["core.v1.PodSpec", { hostNetwork: "yes" }],
    ["core.v1.ResourceRequirements", { limits: { cpu: "many" } }],
    ["meta.v1.ObjectMeta", { creationTimestamp: "yesterday" }],
    ["meta.v1.ObjectMeta", { labels: { a: 1 } }],
  ];
  for (const [type, value] of bad) assertThrows(() => normalise(value, structOf(type)!), DecodeError);
});

Deno.test("generated_fields.ts has every field of the schemas", async () => {
  const schemas = await openApiSchemas();
  let compared = 0;
  for (const [name, { properties }] of Object.entries(schemas)) {
    const text = FIELDS[/^io\.k8s\.api\.(.*)$/.exec(name)?.[1] ?? ""];
    if (text === undefined) continue;
    const fields = text.replace("atomic;", "").split(" ").map((field) => field.split(":")[0]);
    assertEquals(fields.filter((field) => field !== "").sort(), Object.keys(properties ?? {}).sort(), name);
    compared++;
  }
  assert(compared > 500, `${compared} types were compared`);
});
