import { assertEquals, assertStringIncludes } from "@std/assert";
import { FakeWorld, settle } from "../../../../src/base/mod.ts";
import { type AskJournals, whyAnswer } from "../../../../src/manager/journal/mod.ts";
import { journals, sync } from "./fixtures.ts";

const KNOWN = journals({
  "": [
    sync("c Pod shop/web", 1, { writes: ["create Pod shop/web 7"] }),
    sync("c Node n1", 2, { writes: ["update Node n1 8"] }),
    sync("site-controller Site shop/home", 3, { writes: ["update Site shop/home 9"] }),
  ],
});

function setUp(ask: AskJournals = KNOWN) {
  const world = new FakeWorld();
  const get = (query: string, init?: RequestInit) =>
    whyAnswer(new Request(`https://manager/debug/why?${query}`, init), { clock: world.clock, ask });
  return { world, get };
}

const REFUSED: [query: string, line: string][] = [
  ["", "resource and name are needed"],
  ["resource=pods&namespace=shop", "resource and name are needed"],
  ["resource=pods&name=web", "namespace is needed: pods are in namespaces"],
  ["resource=pods&namespace=shop&name=a/b", "name is not valid"],
  [`resource=pods&namespace=shop&name=${"x".repeat(300)}`, "name is not valid"],
  ["resource=a%20b&name=x", "resource is not valid"],
  ["resource=pods&namespace=shop&name=web&verbose=1", 'unknown parameter "verbose"'],
];

for (const [query, expected] of REFUSED) {
  Deno.test(`whyAnswer refuses a bad question in one line: ${query.slice(0, 60)}`, async () => {
    const response = await setUp().get(query);
    const text = await response.text();
    assertEquals(response.status, 400);
    assertStringIncludes(text, expected);
    assertEquals(text.trim().split("\n").length, 1);
  });
}

Deno.test("whyAnswer takes plurals, kinds, short names, and custom kinds by their name or plural", async () => {
  const { get } = setUp();
  for (const resource of ["pods", "po", "Pod", "pod"]) {
    assertEquals((await get(`resource=${resource}&namespace=shop&name=web`)).status, 200, resource);
  }
  for (const namespace of ["", "default"]) {
    assertEquals((await get(`resource=no&namespace=${namespace}&name=n1`)).status, 200, "nodes are in no namespace");
  }
  for (const resource of ["site", "sites", "sites.example.com"]) {
    assertEquals((await get(`resource=${resource}&namespace=shop&name=home`)).status, 200, resource);
  }
});

Deno.test("whyAnswer answers with JSON, or with text where that is accepted", async () => {
  const { get } = setUp();
  const query = "resource=pods&namespace=shop&name=web";
  const chain = await (await get(query)).json();
  assertEquals(chain.object, { kind: "pod", key: "shop/web" });
  assertEquals(chain.syncs[0].writes[0].resourceVersion, "7");
  assertEquals(chain.syncs[0].startedAt, "1970-01-01T00:00:00.001Z");
  const answers = [
    ["text/plain", "text/plain"],
    ["*/*", "application/json"],
    ["application/json, text/plain", "application/json"],
    ["application/json;q=0.5, text/plain", "text/plain"],
  ];
  for (const [accept, type] of answers) {
    const response = await get(query, { headers: { accept } });
    assertStringIncludes(response.headers.get("content-type")!, type);
    await response.body?.cancel();
  }
});

Deno.test("whyAnswer says what it does not know with 404, and refuses to be written to with 405", async () => {
  const { get } = setUp();
  const unknown = await get("resource=deploy&namespace=shop&name=web");
  assertEquals(unknown.status, 404);
  assertStringIncludes(await unknown.text(), "nothing is known of deployment/shop/web");
  const posted = await get("resource=pods&namespace=shop&name=web", { method: "POST" });
  assertEquals([posted.status, posted.headers.get("allow")], [405, "GET, HEAD"]);
  await posted.body?.cancel();
});

Deno.test("whyAnswer gives up with 503 when the journals do not answer in time", async () => {
  const { world, get } = setUp(() => new Promise(() => {}));
  const answering = get("resource=pods&namespace=shop&name=web");
  await settle();
  await world.clock.advance(5000);
  assertEquals((await answering).status, 503);
});
