import { assert, assertEquals, assertThrows } from "@std/assert";
import { DecodeError, type Findings, normalise } from "../../../../../src/sandbox/apiserver/schema/normalise.ts";
import { FIELDS } from "../../../../../src/sandbox/apiserver/schema/generated_fields.ts";
import { parseGoStructs } from "../../../../../src/sandbox/apiserver/schema/extract_go_fields.ts";
import { generatedFields, renderFields } from "../../../../../src/sandbox/apiserver/schema/generate.ts";
import { formatGoField, parseGoFields, servedSchemas } from "../../../../../src/sandbox/apiserver/schema/go_fields.ts";
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
  const read = async (name: string) =>
    JSON.parse(await Deno.readTextFile(new URL(`../../../../../src/api/openapi/${name}`, import.meta.url)));
  const rendered = renderFields(servedSchemas(await read("schemas.json"), await read("optional.json")), {});
  const names = (text: string) =>
    [...text.matchAll(/^ {2}"([^"]+)": "([^"]*)",$/gm)].map(([, type, fields]) =>
      `${type} ${fields.replace("atomic;", "").split(" ").map((field) => field.split(":")[0]).sort().join(" ")}`
    );
  const present = Object.entries(FIELDS).map(([type, fields]) =>
    `  ${JSON.stringify(type)}: ${JSON.stringify(fields)},`
  );
  assertEquals(names(present.join("\n")), names(rendered));
  assert(present.length > 300);
});

Deno.test("generated_fields.ts is what the generator writes", async () => {
  const url = new URL("../../../../../src/sandbox/apiserver/schema/generated_fields.ts", import.meta.url);
  assert(await Deno.readTextFile(url) === await generatedFields(), "not current: run `deno task gen`");
});

Deno.test("parseGoFields reads what formatGoField writes", () => {
  const text = "a:*?: b::1 c:0:2.1 d:*:3";
  assertEquals(parseGoFields(text)[2], {
    name: "c",
    isPointer: false,
    omitsEmpty: false,
    omitsZero: true,
    numbers: ["2", "1"],
  });
  assertEquals(parseGoFields(text).map(formatGoField).join(" "), text);
  assertEquals(parseGoFields(""), []);
});

Deno.test("parseGoStructs reads names, types, options and numbers of fields", () => {
  const source = [
    "type A struct {",
    '\t// a comment `json:"no"`',
    '\tOther `json:",inline" protobuf:"bytes,2,opt,name=other"`',
    '\tName *string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`',
    "}",
  ].join("\n");
  assertEquals(parseGoStructs(source).get("A"), [
    { name: "", type: "Other", options: ["inline"], numbers: ["2"] },
    { name: "name", type: "*string", options: ["omitempty"], numbers: ["1"] },
  ]);
});
