import { assert, assertEquals } from "@std/assert";
import { encodeBase64Url } from "@std/encoding/base64url";
import { CONFIG_MAPS, Harness, type Loose, pod, PODS } from "../harness.ts";

const maps = (...names: string[]) => names.map((name) => ({ metadata: { name } }));
const names = (list: Loose) => list.items.map(({ metadata }: Loose) => metadata.name);

Deno.test("List waits for a revision that is about to come, and gives up after three seconds", async () => {
  using api = new Harness();
  const soon = api.get(`${CONFIG_MAPS}?resourceVersion=${api.server.revision + 1}`);
  await api.post(CONFIG_MAPS, maps("a")[0]);
  assertEquals(names((await soon).body), ["a"]);
  const asked = api.server.revision + 100;
  const never = api.get(`${CONFIG_MAPS}?resourceVersion=${asked}`);
  await api.world.clock.advance(3000);
  const { status, body } = await never;
  assertEquals([status, body.reason, body.details.causes[0].reason], [504, "Timeout", "ResourceVersionTooLarge"]);
  assertEquals(body.message, `Timeout: Too large resource version: ${asked}, current: ${api.server.revision}`);
  assertEquals(api.world.clock.pendingTimers, 0);
});

Deno.test("List shows a consistent snapshot over its pages while writes go on", async () => {
  using api = new Harness();
  for (const map of maps("a", "b", "c", "d", "e")) await api.post(CONFIG_MAPS, map);
  const first = (await api.get(`${CONFIG_MAPS}?limit=2`)).body;
  assertEquals([names(first), first.metadata.remainingItemCount], [["a", "b"], 3]);
  await api.delete(`${CONFIG_MAPS}/d`);
  await api.post(CONFIG_MAPS, maps("bb")[0]);
  await api.patch(`${CONFIG_MAPS}/c`, { data: { changed: "later" } });
  const second = (await api.get(`${CONFIG_MAPS}?limit=2&continue=${first.metadata.continue}`)).body;
  assertEquals([names(second), second.items[0].data], [["c", "d"], undefined]);
  assertEquals(second.metadata.resourceVersion, first.metadata.resourceVersion);
  const third = (await api.get(`${CONFIG_MAPS}?limit=2&continue=${second.metadata.continue}`)).body;
  assertEquals([names(third), third.metadata.continue], [["e"], undefined]);
  assertEquals(names((await api.get(CONFIG_MAPS)).body), ["a", "b", "bb", "c", "e"]);
});

Deno.test("List refuses a continue token that is too old, made up, or comes with a resourceVersion", async () => {
  using api = new Harness();
  for (const map of maps("a", "b")) await api.post(CONFIG_MAPS, map);
  const { continue: token, resourceVersion } = (await api.get(`${CONFIG_MAPS}?limit=1`)).body.metadata;
  assertEquals((await api.get(`${CONFIG_MAPS}?continue=${token}&resourceVersion=${resourceVersion}`)).status, 400);
  assertEquals((await api.get(`${CONFIG_MAPS}?continue=zzz`)).status, 400);
  await api.post(CONFIG_MAPS, maps("c")[0]);
  api.server.compact();
  const old = await api.get(`${CONFIG_MAPS}?limit=1&continue=${token}`);
  assertEquals([old.status, old.body.reason], [410, "Expired"]);
  assert(old.body.message.startsWith("The provided continue parameter is too old"));
});

Deno.test("List goes on with the token of its refusal at the present state", async () => {
  using api = new Harness();
  for (const map of maps("a", "b", "c")) await api.post(CONFIG_MAPS, map);
  const first = (await api.get(`${CONFIG_MAPS}?limit=1`)).body;
  await api.delete(`${CONFIG_MAPS}/b`);
  await api.post(CONFIG_MAPS, maps("d")[0]);
  api.server.compact();
  const refusal = (await api.get(`${CONFIG_MAPS}?limit=1&continue=${first.metadata.continue}`)).body;
  const second = (await api.get(`${CONFIG_MAPS}?limit=1&continue=${refusal.metadata.continue}`)).body;
  assertEquals([names(second), second.metadata.remainingItemCount], [["c"], 1]);
  assertEquals(second.metadata.resourceVersion, String(api.server.revision));
  const third = (await api.get(`${CONFIG_MAPS}?limit=1&continue=${second.metadata.continue}`)).body;
  assertEquals([names(third), third.metadata.continue], [["d"], undefined]);
});

const TOKENS: readonly unknown[] = [
  {},
  { v: "meta.k8s.io/v2", rv: 1, start: "a" },
  { v: "meta.k8s.io/v1", start: "a" },
  { v: "meta.k8s.io/v1", rv: 1 },
  { v: "meta.k8s.io/v1", rv: 1, start: "../a" },
  { v: "meta.k8s.io/v1", rv: 1, start: "a//b" },
  { v: "meta.k8s.io/v1", rv: "1", start: "a" },
  ["a"],
];

Deno.test("List refuses a continue token that no list has answered with", async () => {
  using api = new Harness();
  const tokens = TOKENS.map((token) => encodeBase64Url(JSON.stringify(token)));
  for (const token of [...tokens, "ab!c", "abcde", "zzz", encodeBase64Url('{"v":')]) {
    const { status, body } = await api.get(`${CONFIG_MAPS}?continue=${token}`);
    assertEquals([status, body.message], [
      400,
      "invalid continue token: it must be one that a list has answered with",
    ]);
  }
});

Deno.test("List of any revision is whole, whatever its limit", async () => {
  using api = new Harness();
  for (const map of maps("a", "b")) await api.post(CONFIG_MAPS, map);
  const { body } = await api.get(`${CONFIG_MAPS}?resourceVersion=0&limit=1`);
  assertEquals([names(body), body.metadata.continue], [["a", "b"], undefined]);
  assertEquals(names((await api.get(`${CONFIG_MAPS}?limit=-1`)).body), ["a", "b"]);
});

Deno.test("List of one name is one page", async () => {
  using api = new Harness();
  for (const map of maps("a", "ab", "b")) await api.post(CONFIG_MAPS, map);
  const then = api.server.revision;
  await api.delete(`${CONFIG_MAPS}/a`);
  const list = async (query: string) => (await api.get(`${CONFIG_MAPS}?fieldSelector=metadata.name%3Da${query}`)).body;
  assertEquals(names(await list("")), []);
  const before = await list(`&limit=1&resourceVersion=${then}`);
  assertEquals([names(before), before.metadata], [["a"], { resourceVersion: String(then) }]);
  assertEquals(names(await list("b&limit=1")), ["ab"]);
  api.server.compact();
  assertEquals((await list(`&resourceVersion=${then}&resourceVersionMatch=Exact`)).code, 410);
});

Deno.test("List with a limit and a revision shows that revision", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, maps("a")[0]);
  const then = api.server.revision;
  for (const map of maps("b", "c")) await api.post(CONFIG_MAPS, map);
  const first = (await api.get(`${CONFIG_MAPS}?limit=1&resourceVersion=${then + 1}`)).body;
  assertEquals([names(first), first.metadata.remainingItemCount], [["a"], 1]);
  const newer =
    (await api.get(`${CONFIG_MAPS}?limit=1&resourceVersion=${then}&resourceVersionMatch=NotOlderThan`)).body;
  assertEquals([names(newer), newer.metadata.remainingItemCount], [["a"], 2]);
});

const REFUSED: ReadonlyArray<readonly [query: string, status: number, message: string]> = [
  ["limit=abc", 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
  ["limit=", 400, 'strconv.ParseInt: parsing "": invalid syntax'],
  ["watch=1&timeoutSeconds=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
  [
    "resourceVersion=x",
    400,
    'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
  ],
  [
    "watch=1&resourceVersion=18446744073709551616",
    500,
    'resourceVersion: Invalid value: "18446744073709551616": strconv.ParseUint: parsing "18446744073709551616": ' +
    "value out of range",
  ],
  [
    "resourceVersionMatch=Sometimes&continue=x",
    422,
    'ListOptions.meta.k8s.io "" is invalid: [' +
    "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided, " +
    "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided, " +
    'resourceVersionMatch: Unsupported value: "Sometimes": supported values: "Exact", "NotOlderThan", ""]',
  ],
  [
    "watch=1&continue=x",
    422,
    'ListOptions.meta.k8s.io "" is invalid: ' +
    "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided",
  ],
];

for (const [query, status, message] of REFUSED) {
  Deno.test(`List or watch with ${query} is refused in upstream's words`, async () => {
    using api = new Harness();
    const { body } = await api.get(`${CONFIG_MAPS}?${query}`);
    assertEquals([body.code, body.message], [status, message]);
  });
}

Deno.test("List shows an exact revision, and refuses parameters that contradict", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, maps("a")[0]);
  const then = api.server.revision;
  await api.post(CONFIG_MAPS, maps("b")[0]);
  const exact = await api.get(`${CONFIG_MAPS}?resourceVersion=${then}&resourceVersionMatch=Exact`);
  assertEquals([names(exact.body), exact.body.metadata.resourceVersion], [["a"], String(then)]);
  const newer = await api.get(`${CONFIG_MAPS}?resourceVersion=${then}&resourceVersionMatch=NotOlderThan`);
  assertEquals(names(newer.body), ["a", "b"]);
  const status = async (query: string) => (await api.get(`${CONFIG_MAPS}?${query}`)).status;
  assertEquals(await status("resourceVersionMatch=Exact"), 422);
  assertEquals(await status("resourceVersion=0&resourceVersionMatch=Exact"), 422);
  assertEquals(await status("resourceVersion=1&resourceVersionMatch=Sometimes"), 422);
  assertEquals(await status("sendInitialEvents=true"), 422);
  assertEquals(await status("resourceVersion=abc"), 400);
});

Deno.test("List carries its revision when empty, and kinds of built-in items only once", async () => {
  using api = new Harness();
  const empty = (await api.get(CONFIG_MAPS)).body;
  assertEquals(empty, {
    kind: "ConfigMapList",
    apiVersion: "v1",
    metadata: { resourceVersion: String(api.server.revision) },
    items: [],
  });
  await api.post(CONFIG_MAPS, maps("a")[0]);
  assertEquals((await api.get(CONFIG_MAPS)).body.items[0].kind, undefined);
});

Deno.test("List of thousands of objects is complete", async () => {
  using api = new Harness();
  const data = { text: "x".repeat(500) };
  for (let i = 0; i < 1000; i++) await api.post(CONFIG_MAPS, { metadata: { name: `m${i}` }, data });
  assertEquals((await api.get(CONFIG_MAPS)).body.items.length, 1000);
});

Deno.test("Field selectors select by the fields of the kind, and refuse others", async () => {
  using api = new Harness();
  await api.account("default");
  for (const name of ["p", "q"]) await api.post(PODS, pod(name));
  await api.post(`${PODS}/q/binding`, { metadata: { name: "q" }, target: { name: "n1" } });
  const list = async (selector: string) =>
    names((await api.get(`${PODS}?fieldSelector=${encodeURIComponent(selector)}`)).body);
  assertEquals(await list("spec.nodeName=n1"), ["q"]);
  assertEquals(await list("spec.nodeName=,status.phase!=Failed"), ["p"]);
  assertEquals(await list("metadata.name=p,metadata.namespace=default"), ["p"]);
  const pods = await api.get(`${PODS}?fieldSelector=spec.foo%3D1`);
  assertEquals([pods.status, pods.body.message], [400, "field label not supported: spec.foo"]);
  const config = await api.get(`${CONFIG_MAPS}?fieldSelector=data%3D1`);
  assertEquals(config.body.message, '"data" is not a known field selector: only "metadata.name", "metadata.namespace"');
  assertEquals((await api.get(`${PODS}?labelSelector=a%20in`)).status, 400);
});
