/** Bytes that the server keeps just as they come. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Harness } from "../harness.ts";

const REVISIONS = "/apis/apps/v1/namespaces/default/controllerrevisions";

async function send(api: Harness, method: string, path: string, body?: BodyInit, type = "application/json") {
  const request = new Request(`http://server${path}`, { method, body, headers: { "content-type": type } });
  const response = await api.server.fetch(request);
  return { status: response.status, text: await response.text() };
}

const revision = (data: string, more = "") =>
  `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"r"},"data": ${data},"revision":1${more}}`;

/** The data as the server must answer it, and what it was sent as. */
const KEPT: readonly (readonly [name: string, kept: string, sent?: string])[] = [
  ["plain data", '{"spec":{"b":1,"a":[1,2]}}'],
  ["keys that JavaScript puts first", '{"spec":{"b":1,"10":"x","9":"y"}}'],
  ["what Go escapes", '{"a":"\\u003cb\\u003e \\u0026 \\u2028"}', '{"a":"<b> & \u2028"}'],
  ["escapes as they were written", '{"a":"\\u0041\\/"}'],
  ["numbers as they were written", '{"a":1.0,"b":1e3,"c":9223372036854775807}'],
  ["no white space outside of texts", '{"a":[1,{"b":" c "}]}', '{ "a" : [ 1,\n { "b": " c " } ] }'],
  ["a name that comes twice", '{"a":1,"a":2}'],
  ["a key that is a server's own", '{"\\u0000text":"{}"}'],
];

for (const [name, kept, sent = kept] of KEPT) {
  Deno.test(`ApiServer keeps the bytes of a ControllerRevision's data: ${name}`, async () => {
    using api = new Harness();
    const created = await send(api, "POST", REVISIONS, revision(sent));
    assertEquals(created.status, 201, created.text);
    assertStringIncludes(created.text, `"data":${kept},`);
    assertStringIncludes((await send(api, "GET", `${REVISIONS}/r`)).text, `"data":${kept},`);
    assertStringIncludes((await send(api, "GET", REVISIONS)).text, `"data":${kept},`);
    const again = await send(api, "PUT", `${REVISIONS}/r`, revision(sent).replace('"revision":1', '"revision":2'));
    assertEquals(again.status, 200, again.text);
    const label = '{"metadata":{"labels":{"a":"b"}},"revision":3}';
    const patched = await send(api, "PATCH", `${REVISIONS}/r`, label, "application/merge-patch+json");
    assertEquals(patched.status, 200, patched.text);
    assertStringIncludes(patched.text, `"data":${kept},`);
  });
}

Deno.test("ApiServer takes a ControllerRevision's data for changed when its bytes are others", async () => {
  using api = new Harness();
  await send(api, "POST", REVISIONS, revision('{"b":1,"a":2}'));
  const { status, text } = await send(api, "PUT", `${REVISIONS}/r`, revision('{"a":2,"b":1}'));
  assertEquals(status, 422);
  assertStringIncludes(text, "field is immutable");
});

Deno.test("ApiServer keeps the bytes of what is called data nowhere else, and finds them among other members", async () => {
  using api = new Harness();
  const [start, rest] = [
    `{"metadata":{"name":"r","annotations":{"data":"<"}},"kind":"ControllerRevision","data":`,
    `}`,
  ];
  const body = `${start}{"2":{"data":{"1":"}"}},"1":"a\\"b"},"apiVersion":"apps/v1","revision":1${rest}`;
  const { status, text } = await send(api, "POST", REVISIONS, body);
  assertEquals(status, 201, text);
  assertStringIncludes(text, '"data":{"2":{"data":{"1":"}"}},"1":"a\\"b"},');
  assertStringIncludes(text, '"annotations":{"data":"<"}');
});

Deno.test("ApiServer writes data that came as YAML as Go would", async () => {
  using api = new Harness();
  const yaml = "apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: r}\nrevision: 1\n" +
    'data: {b: "<", "10": 1, "9": 2}\n';
  const { text } = await send(api, "POST", REVISIONS, yaml, "application/yaml");
  assertStringIncludes(text, '"data":{"10":1,"9":2,"b":"\\u003c"},');
});

Deno.test("ApiServer keeps the bytes of data that came as protobuf", async () => {
  const data = '{"b":"\\u003c","10":1,"9":2}';
  const raw = message([[1, message([[1, bytes("r")]])], [2, message([[1, bytes(data)]])]]);
  const meta = message([[1, bytes("apps/v1")], [2, bytes("ControllerRevision")]]);
  const body = new Uint8Array([...bytes("k8s\0"), ...message([[1, meta], [2, raw]])]);
  using api = new Harness();
  const { status, text } = await send(api, "POST", REVISIONS, body, "application/vnd.kubernetes.protobuf");
  assertEquals(status, 201, text);
  assertStringIncludes(text, `"data":${data},`);
});

const bytes = (text: string) => new TextEncoder().encode(text);

/** Length-delimited fields, each shorter than 128 bytes. */
function message(fields: readonly (readonly [number, Uint8Array])[]): Uint8Array {
  return new Uint8Array(fields.flatMap(([number, value]) => {
    assert(value.length < 128);
    return [number << 3 | 2, value.length, ...value];
  }));
}

Deno.test("ApiServer refuses a ControllerRevision whose data is no object, however it is written", async () => {
  using api = new Harness();
  for (const data of ['"<"', "[1.0]", "null"]) {
    assertEquals((await send(api, "POST", REVISIONS, revision(data))).status, 422, data);
  }
});
