import { assertEquals, assertStringIncludes } from "@std/assert";
import { CONFIG_MAPS, DEPLOYMENTS, Harness, MERGE, pod, PODS, type SendOptions, workload } from "./harness.ts";

const LONG = "x".repeat(129);
const YAML: SendOptions = { contentType: "application/yaml" };
const map = (more: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, ...more });

/** A request to an empty server, its answer's code and reason, and what its message contains. */
type Case = readonly [
  what: string,
  request: readonly [method: string, path: string, body?: unknown, options?: SendOptions],
  code: number,
  reason: string | undefined,
  message: string,
];

const UNRECOGNIZED = "the object provided is unrecognized (must be of type ConfigMap): ";

const BODIES: readonly Case[] = [
  [
    "no JSON",
    ["POST", CONFIG_MAPS, "{"],
    400,
    "BadRequest",
    `${UNRECOGNIZED}Expected property name or '}' in JSON`,
  ],
  ["nothing", ["POST", CONFIG_MAPS, ""], 400, "BadRequest", "Unexpected end of JSON input"],
  ["no YAML", ["POST", CONFIG_MAPS, "a: [", YAML], 400, "BadRequest", "yaml: "],
  ["no object", ["POST", CONFIG_MAPS, "[]"], 400, "BadRequest", "it must be an object, not a list"],
  [
    "another kind",
    ["POST", CONFIG_MAPS, map({ kind: "Secret" })],
    400,
    "BadRequest",
    'Secret in version "v1" cannot be handled as a ConfigMap',
  ],
  [
    "another version",
    ["POST", CONFIG_MAPS, map({ apiVersion: "v2" })],
    400,
    "BadRequest",
    "it is a ConfigMap of v2, not a ConfigMap of v1",
  ],
  [
    "another media type",
    ["POST", CONFIG_MAPS, map(), { contentType: "text/plain" }],
    415,
    "UnsupportedMediaType",
    "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  ],
  [
    "more than three MiB",
    ["POST", CONFIG_MAPS, map({ data: { a: "x".repeat(3 * 1024 * 1024) } })],
    413,
    "RequestEntityTooLarge",
    "limit is 3145728",
  ],
  [
    "a text for a number",
    ["POST", PODS, pod("a", { priority: "x" })],
    400,
    "BadRequest",
    "spec.priority: must be an integer, not a string",
  ],
  [
    "no quantity",
    ["POST", PODS, {
      metadata: { name: "a" },
      spec: { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "x" } } }] },
    }],
    400,
    "BadRequest",
    "quantities must match the regular expression",
  ],
  [
    "no time",
    ["POST", CONFIG_MAPS, { metadata: { name: "a", creationTimestamp: "yesterday" } }],
    400,
    "BadRequest",
    'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
  ],
  [
    "no base64",
    ["POST", CONFIG_MAPS, map({ binaryData: { a: "!!" } })],
    400,
    "BadRequest",
    "binaryData.a: must be base64",
  ],
  [
    "another namespace",
    ["POST", CONFIG_MAPS, { metadata: { name: "a", namespace: "b" } }],
    400,
    "BadRequest",
    "the namespace of the provided object does not match the namespace sent on the request",
  ],
  [
    "another name",
    ["PUT", `${CONFIG_MAPS}/b`, map()],
    400,
    "BadRequest",
    "the name of the object (a) does not match the name on the URL (b)",
  ],
  [
    "no name",
    ["PUT", `${CONFIG_MAPS}/b`, { metadata: {} }],
    400,
    "BadRequest",
    "the name of the object (b based on URL) was undeterminable: name must be provided",
  ],
];

const STRICT = "?fieldValidation=Strict";
const DECODING = "strict decoding error: ";

const FIELDS: readonly Case[] = [
  [
    "an unknown field",
    ["POST", CONFIG_MAPS + STRICT, map({ foo: 1 })],
    400,
    "BadRequest",
    `ConfigMap in version "v1" cannot be handled as a ConfigMap: ${DECODING}unknown field "foo"`,
  ],
  [
    "an unknown field in a list",
    ["POST", DEPLOYMENTS + STRICT, workload("d", { template: { spec: { containers: [{ foo: 1 }] } } })],
    400,
    "BadRequest",
    `${DECODING}unknown field "spec.template.spec.containers[0].foo"`,
  ],
  [
    "a field that comes twice",
    ["POST", CONFIG_MAPS + STRICT, '{"data":{"a":"1","a":"2"}}'],
    400,
    "BadRequest",
    `${DECODING}duplicate field "data.a"`,
  ],
  [
    "a key that comes twice in YAML",
    ["POST", CONFIG_MAPS + STRICT, "data:\n  a: x\n  a: z\n", YAML],
    400,
    "BadRequest",
    `${DECODING}line 3: key "a" already set in map`,
  ],
  [
    "an unknown field in a patch",
    ["PATCH", `${CONFIG_MAPS}/there${STRICT}`, { foo: 1 }, { contentType: MERGE }],
    422,
    "Invalid",
    `${DECODING}unknown field "foo"`,
  ],
];

const PARAMETERS: readonly Case[] = [
  [
    "dryRun",
    ["POST", `${CONFIG_MAPS}?dryRun=Foo`, map()],
    422,
    "Invalid",
    'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Foo"]: supported values: "All"',
  ],
  [
    "fieldManager",
    ["POST", `${CONFIG_MAPS}?fieldManager=${LONG}`, map()],
    422,
    "Invalid",
    "fieldManager: Too long: may not be more than 128 bytes",
  ],
  [
    "fieldManager that cannot be printed",
    ["POST", `${CONFIG_MAPS}?fieldManager=a%01`, map()],
    422,
    "Invalid",
    "cannot be printed",
  ],
  [
    "fieldValidation",
    ["PUT", `${CONFIG_MAPS}/a?fieldValidation=x`, map()],
    422,
    "Invalid",
    'UpdateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "x"',
  ],
  [
    "force",
    ["PATCH", `${CONFIG_MAPS}/a?force=true`, {}, { contentType: MERGE }],
    422,
    "Invalid",
    "force: Forbidden: may not be specified for non-apply patch",
  ],
  [
    "gracePeriodSeconds",
    ["DELETE", `${CONFIG_MAPS}/a?gracePeriodSeconds=x`],
    400,
    "BadRequest",
    'strconv.ParseInt: parsing "x": invalid syntax',
  ],
  [
    "propagationPolicy",
    ["DELETE", `${CONFIG_MAPS}/a?propagationPolicy=x`],
    422,
    "Invalid",
    'propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
  ],
  ["limit", ["GET", `${CONFIG_MAPS}?limit=99999999999999999999`], 400, "BadRequest", "value out of range"],
  [
    "labelSelector",
    ["GET", `${CONFIG_MAPS}?labelSelector=a%3D%3D%3Db`],
    400,
    "BadRequest",
    "found '=', expected: identifier",
  ],
  [
    "fieldSelector",
    ["GET", `${CONFIG_MAPS}?fieldSelector=a%3Db`],
    400,
    "BadRequest",
    '"a" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
  [
    "fieldSelector of a kind with fields of its own",
    ["GET", `${PODS}?fieldSelector=a%3Db`],
    400,
    "BadRequest",
    "field label not supported: a",
  ],
];

const NO_RESOURCE = "the server could not find the requested resource";
const NO_METHOD = "the server does not allow this method on the requested resource";

const ROUTES: readonly Case[] = [
  ["of no version", ["GET", "/api/v2/pods"], 404, "NotFound", NO_RESOURCE],
  ["of no resource", ["GET", "/apis/apps/v1/foos"], 404, "NotFound", NO_RESOURCE],
  ["with empty parts", ["GET", `${CONFIG_MAPS}//a`], 404, "NotFound", NO_RESOURCE],
  ["with a slash in a name", ["GET", `${CONFIG_MAPS}/a%2Fb`], 404, "NotFound", NO_RESOURCE],
  ["that cannot be decoded", ["GET", `${CONFIG_MAPS}/a%`], 400, "BadRequest", "invalid URL escape"],
  ["below a subresource", ["GET", `${PODS}/a/log/x`], 404, "NotFound", NO_RESOURCE],
  ["of one object in all namespaces", ["GET", "/api/v1/pods/a"], 404, "NotFound", NO_RESOURCE],
  [
    "of one object of a kind that has none",
    ["GET", "/apis/authentication.k8s.io/v1/tokenreviews/a"],
    404,
    "NotFound",
    NO_RESOURCE,
  ],
  ["by another method", ["PUT", CONFIG_MAPS, map()], 405, "MethodNotAllowed", NO_METHOD],
  ["of discovery by another method", ["POST", "/api/v1", {}], 405, "MethodNotAllowed", NO_METHOD],
  ["of nothing at all", ["GET", "/foo"], 404, undefined, "404 page not found"],
  ["of nothing beside the version", ["GET", "/version/x"], 404, "NotFound", NO_RESOURCE],
];

function check(group: string, cases: readonly Case[]): void {
  for (const [what, [method, path, body, options], code, reason, message] of cases) {
    Deno.test(`ApiServer refuses ${group} ${what}`, async () => {
      using api = new Harness();
      await api.post(CONFIG_MAPS, { metadata: { name: "there" } });
      const answer = await api.send(method, path, body, options);
      assertEquals([answer.status, answer.body.reason], [code, reason]);
      assertStringIncludes(reason === undefined ? answer.body : answer.body.message, message);
    });
  }
}

check("a body that is", BODIES);
check("strictly", FIELDS);
check("a bad", PARAMETERS);
check("a path", ROUTES);

Deno.test("ApiServer warns about unknown and repeated fields, each once, and drops them", async () => {
  using api = new Harness();
  const body = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"foo":1,"data":{"a":"1","a":"2"}}';
  const { status, headers, body: created } = await api.send("POST", CONFIG_MAPS, body);
  assertEquals([status, created.data, created.foo], [201, { a: "2" }, undefined]);
  assertEquals(headers.get("warning"), '299 - "unknown field \\"foo\\"", 299 - "duplicate field \\"data.a\\""');
  const silent = await api.send("POST", `${CONFIG_MAPS}?fieldValidation=Ignore`, body.replace('"a"}', '"b"}'));
  assertEquals([silent.status, silent.headers.get("warning")], [201, null]);
});

Deno.test("ApiServer cuts warnings that are too long together", async () => {
  using api = new Harness();
  const fields = Object.fromEntries(Array.from({ length: 30 }, (_, i) => ["x".repeat(300) + i, 1]));
  const { headers } = await api.post(CONFIG_MAPS, map(fields));
  const warnings = headers.get("warning")!.split(", ");
  assertEquals(warnings.length, 16);
  assertEquals(new Set(warnings.map((warning) => warning.length)), new Set([264 + 1]));
});

const ACCEPT: ReadonlyArray<readonly [accept: string, code: number, kind: string]> = [
  ["application/json", 200, "ConfigMap"],
  ["text/html,application/xml;q=0.9,*/*;q=0.8", 200, "ConfigMap"],
  ["application/vnd.kubernetes.protobuf,application/json", 200, "ConfigMap"],
  ["application/json;as=Table;v=v1;g=meta.k8s.io,application/json", 200, "Table"],
  ["application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", 200, "PartialObjectMetadata"],
  ["application/json;as=Foo;v=v1;g=meta.k8s.io,application/json", 200, "ConfigMap"],
  ["application/json;as=Foo;v=v1;g=meta.k8s.io", 406, "Status"],
  ["application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", 406, "Status"],
  ["text/plain", 406, "Status"],
  ["application/*", 406, "Status"],
];
for (const [accept, code, kind] of ACCEPT) {
  Deno.test(`ApiServer answers Accept: ${accept} with ${kind}`, async () => {
    using api = new Harness();
    await api.post(CONFIG_MAPS, map());
    const { status, body } = await api.get(`${CONFIG_MAPS}/a`, { accept });
    assertEquals([status, body.kind], [code, kind]);
  });
}

Deno.test("ApiServer refuses the metadata of one object for a list", async () => {
  using api = new Harness();
  const accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
  for (const method of ["GET", "DELETE"]) {
    const { status, body } = await api.send(method, CONFIG_MAPS, undefined, { accept });
    assertEquals(status, 406);
    assertEquals(
      body.message,
      "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)",
    );
  }
});

Deno.test("ApiServer writes for people where they ask, and answers errors in the form that was asked for", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, map());
  const text = async (path: string, headers: Record<string, string> = {}) =>
    await (await api.server.fetch(api.request("GET", path, undefined, { headers }))).text();
  assertStringIncludes(await text(`${CONFIG_MAPS}/a?pretty=true`), '{\n  "kind": "ConfigMap"');
  assertStringIncludes(await text(`${CONFIG_MAPS}/a`, { "user-agent": "curl/8" }), '{\n  "kind"');
  assertStringIncludes(await text(`${CONFIG_MAPS}/a`), '{"kind":"ConfigMap"');
  assertStringIncludes(await text(`${CONFIG_MAPS}/none`, { accept: "application/yaml" }), "reason: NotFound\n");
});
