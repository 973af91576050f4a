import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { type ControllerRevision, CONTROLLERREVISIONS } from "../../../src/api/mod.ts";
import { Client } from "../../../src/client/mod.ts";

/** A client whose requests' bodies are kept. */
function recording(): { client: Client; bodies: string[] } {
  const bodies: string[] = [];
  const transport = async (request: Request) => {
    bodies.push(await request.text());
    return new Response("{}", { headers: { "content-type": "application/json" } });
  };
  const client = new Client({ world: new FakeWorld(), transport, server: "https://example.test", userAgent: "test" });
  return { client, bodies };
}

const REVISION: ControllerRevision = {
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  metadata: { name: "r", namespace: "a", labels: undefined },
  data: { b: "<x>", 9: 1, 10: 2 },
  revision: 1,
};

Deno.test("Client writes a canonical body with sorted keys and Go's escapes, where that is asked for", async () => {
  const { client, bodies } = recording();
  await client.create(CONTROLLERREVISIONS, REVISION, { isCanonical: true });
  await client.update(CONTROLLERREVISIONS, REVISION, { isCanonical: true });
  const expected = '{"apiVersion":"apps/v1","data":{"10":2,"9":1,"b":"\\u003cx\\u003e"},"kind":"ControllerRevision",' +
    '"metadata":{"name":"r","namespace":"a"},"revision":1}';
  assertEquals(bodies, [expected, expected]);
});

Deno.test("Client writes other bodies as they come", async () => {
  const { client, bodies } = recording();
  await client.create(CONTROLLERREVISIONS, REVISION);
  assertEquals(bodies, [JSON.stringify(REVISION)]);
});
