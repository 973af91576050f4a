import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { EVENTS, type Node, NODES } from "../../../../src/api/mod.ts";
import { StatusError } from "../../../../src/client/mod.ts";
import type { IpamContext } from "../../../../src/controllers/node_ipam/context.ts";
import { syncNode } from "../../../../src/controllers/node_ipam/sync.ts";
import { RecordedClient } from "../recorded_client.ts";
import { node, rangesOf } from "./fixtures.ts";

function failure(code: number, reason: string): StatusError {
  return new StatusError({ status: "Failure", code, reason, message: reason });
}

/** Nodes as the cache has them; the server has them, too. */
function rig(
  nodes: Node[],
  { pools = ["10.9.0.0/28 in /30"], atServer = nodes }: { pools?: string[]; atServer?: Node[] } = {},
) {
  const client = new RecordedClient();
  client.store(NODES, ...atServer);
  const events: string[] = [];
  const context: IpamContext = {
    world: new FakeWorld(),
    client: client as unknown as IpamContext["client"], // no sync lists nodes
    recorder: {
      event: (about, type, reason, message) => events.push(`${JSON.stringify(about)} ${type} ${reason} ${message}`),
    },
    nodes: { get: (_, name) => nodes.find(({ metadata }) => metadata?.name === name) },
    ranges: rangesOf(pools),
  };
  const sync = (name = "a") => syncNode(name, context, new AbortController().signal);
  return { client, context, events, sync };
}

Deno.test("syncNode: a node without a range gets one of each range, and nothing else is changed", async () => {
  const pools = ["10.9.0.0/28 in /30", "fd00::/48 in /64"];
  const { client, sync, events } = rig([node("a", undefined, { labels: { x: "y" } })], { pools });
  await sync();
  const podCIDRs = ["10.9.0.0/30", "fd00::/64"];
  assertEquals(client.calls, [{
    text: "patch nodes a",
    body: { metadata: { uid: "uid-of-a" }, spec: { podCIDR: podCIDRs[0], podCIDRs } },
  }]);
  const { metadata, spec } = client.find(NODES, "a")!;
  assertEquals([metadata?.labels, spec, events], [{ x: "y" }, { podCIDR: podCIDRs[0], podCIDRs }, []]);
});

Deno.test("syncNode: a node that is gone, that is going, or that has its ranges is left alone", async () => {
  const going = node("going", undefined, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  const { client, context, sync } = rig([node("a", ["10.9.0.4/30"]), going]);
  for (const name of ["a", "going", "gone"]) await sync(name);
  assertEquals([client.calls, context.ranges.size], [[], 1]);
});

Deno.test("syncNode: an event says that nothing is left, and the node is tried again", async () => {
  const { client, context, events, sync } = rig([node("a")]);
  context.ranges.occupy(node("all", ["10.0.0.0/8"]));
  await assertRejects(() => sync(), Error, "failed to allocate cidr from cluster cidr at idx:0");
  const about = '{"apiVersion":"v1","kind":"Node","name":"a","uid":"uid-of-a"}';
  assertEquals(events, [`${about} Normal CIDRNotAvailable Node a status is now: CIDRNotAvailable`]);
  assertEquals(client.calls, []);
});

Deno.test("syncNode: what the server may have written is kept, and written again after three tries", async () => {
  for (const error of [failure(500, "InternalError"), failure(504, "Timeout"), failure(429, "TooManyRequests")]) {
    const { client, context, events, sync } = rig([node("a")]);
    client.fail("patch nodes a", error);
    await assertRejects(() => sync(), StatusError);
    assertEquals(client.writes.length, 3);
    assertEquals(events.length, 1);
    assertEquals(events[0].includes("Normal CIDRAssignmentFailed Node a status is now: CIDRAssignmentFailed"), true);
    assertEquals(context.ranges.propose(node("b")), ["10.9.0.4/30"]);
    assertEquals(context.ranges.propose(node("a")), ["10.9.0.0/30"]);
  }
});

Deno.test("syncNode: what the server refuses is free for others", async () => {
  const cached = node("a");
  const tables: readonly [Node[], string][] = [
    [[], "NotFound"],
    [[node("a", undefined, { uid: "another" })], "Invalid"],
    [[node("a", ["10.9.0.12/30"])], "Invalid"],
  ];
  for (const [atServer, reason] of tables) {
    const { client, context, sync } = rig([cached], { atServer });
    const error = await assertRejects(() => sync(), StatusError);
    assertEquals([error.reason, client.writes.length, context.ranges.size], [reason, 1, 0]);
    assertEquals(client.find(NODES, "a")?.spec?.podCIDR, atServer[0]?.spec?.podCIDR);
    assertEquals(client.find(EVENTS, "a"), undefined);
  }
});

Deno.test("syncNode: a node that has something foreign is tried again, and nothing is written", async () => {
  const { client, sync, events } = rig([node("a", ["192.168.0.0/24"])]);
  await assertRejects(() => sync(), Error, "is out the range of cluster cidr 10.9.0.0/28");
  assertEquals([client.calls, events], [[], []]);
});
