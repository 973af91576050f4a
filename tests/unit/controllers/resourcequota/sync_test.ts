/** When a quota's status is written, and what it says. */
import { assertEquals } from "@std/assert";
import { CONFIGMAPS, PODS, type ResourceQuota, RESOURCEQUOTAS, SECRETS } from "../../../../src/api/mod.ts";
import { RecordedClient } from "../recorded_client.ts";
import { kind, pod, quota, sync } from "./fixtures.ts";

const NOT_SYNCED = new Error("/v1, Resource=pods not yet synced");

Deno.test("syncQuota follows a limit that was raised", async () => {
  const { status } = await sync(quota({ pods: "6" }, { status: { hard: { pods: "5" } } }), [kind(PODS, [])]);
  assertEquals(status, { hard: { pods: "6" }, used: { pods: "0" } });
});

Deno.test("syncQuota writes nothing where nothing changed, nor where it is only spelt otherwise", async () => {
  const { client } = await sync(quota({ pods: "5" }, { status: { used: { pods: "1" } } }), [kind(PODS, [pod("x")])]);
  assertEquals(client.writes, []);
  const spelt = { spec: { hard: { memory: "1Gi" } }, status: { hard: { memory: "1024Mi" }, used: { memory: "0Mi" } } };
  assertEquals((await sync(quota({ memory: "1Gi" }, spelt), [kind(PODS, [])])).client.writes, []);
});

Deno.test("syncQuota writes a first status even where nothing is used", async () => {
  const { used } = await sync(quota({ pods: "5" }, { status: null }), [kind(PODS, [])]);
  assertEquals(used, "pods=0");
});

Deno.test("syncQuota keeps the usage that it cannot measure anew, writes the limits all the same, and fails", async () => {
  const before = { hard: { pods: "5" }, used: { pods: "3" } };
  const { status, error } = await sync(quota({ pods: "6" }, { status: before }), [kind(PODS, NOT_SYNCED)]);
  assertEquals(status, { hard: { pods: "6" }, used: { pods: "3" } });
  assertEquals(error, "failed to list content: /v1, Resource=pods not yet synced");
});

Deno.test("syncQuota writes what it could measure of a quota of several kinds, and fails for the rest", async () => {
  const kinds = [kind(PODS, NOT_SYNCED), kind(SECRETS, [{}, {}])];
  const { used, error } = await sync(quota({ pods: "5", secrets: "5" }, { status: { used: { pods: "3" } } }), kinds);
  assertEquals(used, "pods=3,secrets=2");
  assertEquals(error, "failed to list content: /v1, Resource=pods not yet synced");
});

Deno.test("syncQuota leaves out what is limited no more, and what nobody measures", async () => {
  const status = { hard: { pods: "5", secrets: "5" }, used: { pods: "0", secrets: "1" } };
  const { status: now } = await sync(quota({ pods: "5", "count/things.example.com": "1" }, { status }), [
    kind(PODS, []),
    kind(SECRETS, [{}]),
  ]);
  assertEquals(now, { hard: { "count/things.example.com": "1", pods: "5" }, used: { pods: "0" } });
});

Deno.test("syncQuota repeats a write that says nothing where nothing at all can be measured", async () => {
  const hard = { "count/things.example.com": "1" };
  const { client } = await sync(quota(hard, { status: { hard, used: undefined } }), [kind(PODS, [])]);
  assertEquals(client.writes, ["put resourcequotas/status a/q"]);
});

Deno.test("syncQuota sends the whole quota with its version, so that what admission counted meanwhile is not lost", async () => {
  const client = new RecordedClient();
  client.store(
    RESOURCEQUOTAS,
    quota({ configmaps: "5" }, { resourceVersion: "8", status: { used: { configmaps: "2" } } }),
  );
  const cached = quota({ configmaps: "5" }, { resourceVersion: "7", labels: { a: "b" } });
  const { error } = await sync(cached, [kind(CONFIGMAPS, [{}])], { client });
  const [body] = client.bodies<ResourceQuota>("put ");
  assertEquals([body.metadata, error?.includes("the object has been modified")], [cached.metadata, true]);
  assertEquals(client.find(RESOURCEQUOTAS, "a/q")?.status?.used, { configmaps: "2" });
});

Deno.test("syncQuota says both why it could not measure and why it could not write", async () => {
  const client = new RecordedClient();
  client.fail("put ", new Error("too many requests"));
  const { error } = await sync(quota({ pods: "1" }, { status: null }), [kind(PODS, NOT_SYNCED)], { client });
  assertEquals(error, "[failed to list content: /v1, Resource=pods not yet synced, too many requests]");
});

Deno.test("syncQuota does nothing about a quota that is gone", async () => {
  const { client, error } = await sync(undefined, [kind(PODS, [])]);
  assertEquals([client.calls, error], [[], undefined]);
});
