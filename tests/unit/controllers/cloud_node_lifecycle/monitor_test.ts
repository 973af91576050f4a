import { assertEquals } from "@std/assert";
import { type Node, NODES, type Taint } from "../../../../src/api/mod.ts";
import { monitorNodes } from "../../../../src/controllers/cloud_node_lifecycle/monitor.ts";
import type { Machine } from "../../cloud/fake_cloud.ts";
import { InstanceNotFoundError } from "../../../../src/cloud/mod.ts";
import { CloudRig } from "../cloud_rig.ts";
import { statusError } from "../status_errors.ts";

const SHUTDOWN: Taint = { key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" };
const OTHER: Taint = { key: "other", effect: "NoExecute" };
const DELETING = "Normal DeletingNode n: Deleting node n because it does not exist in the cloud provider";

interface Row {
  /** Of its Ready condition, if it has one. */
  readonly ready?: "True" | "False" | "Unknown";
  readonly taints?: readonly Taint[];
  readonly machine?: Machine;
  /** The method that fails. */
  readonly failing?: string;
  /** What becomes of it: its taints, or nothing. */
  readonly becomes: readonly Taint[] | "deleted";
  readonly writes: readonly string[];
}

const ROWS: Readonly<Record<string, Row>> = {
  "not ready and gone": { ready: "False", becomes: "deleted", writes: ["delete nodes n"] },
  "silent and gone": { ready: "Unknown", becomes: "deleted", writes: ["delete nodes n"] },
  "never heard of and gone": { becomes: "deleted", writes: ["delete nodes n"] },
  "not ready, and the cloud cannot say": { ready: "False", failing: "instanceExists", becomes: [], writes: [] },
  "not ready and running": { ready: "False", machine: {}, becomes: [], writes: [] },
  "not ready and stopped": {
    ready: "False",
    taints: [OTHER],
    machine: { isShutdown: true },
    becomes: [OTHER, SHUTDOWN],
    writes: ["patch nodes n"],
  },
  "not ready, and the cloud cannot say if it is stopped": {
    ready: "False",
    machine: { isShutdown: true },
    failing: "instanceShutdown",
    becomes: [],
    writes: [],
  },
  "not ready, stopped and tainted": {
    ready: "False",
    taints: [SHUTDOWN],
    machine: { isShutdown: true },
    becomes: [SHUTDOWN],
    writes: [],
  },
  "not ready, running again and tainted": {
    ready: "False",
    taints: [SHUTDOWN],
    machine: {},
    becomes: [SHUTDOWN],
    writes: [],
  },
  "ready, and gone or stopped as the cloud has it": { ready: "True", becomes: [], writes: [] },
  "ready and tainted": {
    ready: "True",
    taints: [OTHER, SHUTDOWN],
    becomes: [OTHER],
    writes: ["patch nodes n"],
  },
};

async function pass(rig: CloudRig): Promise<void> {
  await monitorNodes({ ...rig, instances: rig.instances }, new AbortController().signal);
}

for (const [what, { ready, taints, machine, failing, becomes, writes }] of Object.entries(ROWS)) {
  Deno.test(`a node that is ${what}`, async () => {
    const rig = new CloudRig();
    const conditions = ready ? [{ type: "Ready", status: ready }] : [];
    rig.add({ metadata: { name: "n" }, spec: taints && { taints: [...taints] }, status: { conditions } });
    if (machine) rig.cloud.machines.set("n", machine);
    if (failing) rig.cloud.failures.set(failing, new Error("no luck"));
    await pass(rig);
    assertEquals(rig.client.writes, [...writes]);
    const node: Node | undefined = rig.client.find(NODES, "n");
    if (becomes === "deleted") assertEquals([node, rig.events], [undefined, [DELETING]]);
    else assertEquals([node?.spec?.taints ?? [], rig.events], [[...becomes], []]);
    if (ready === "True") assertEquals(rig.cloud.requests, []);
  });
}

Deno.test("a node that cannot be deleted is told of, and tried again in the next pass", async () => {
  const rig = new CloudRig();
  rig.add({ metadata: { name: "n" } });
  rig.client.fail("delete nodes n", statusError(500, "InternalError"), { times: 1 });
  await pass(rig);
  assertEquals(rig.events[0], DELETING);
  assertEquals(rig.events[1].startsWith("Warning DeletingNodeFailed n: Failed deleting node n: "), true, rig.events[1]);
  await pass(rig);
  assertEquals(rig.client.find(NODES, "n"), undefined);
});

Deno.test("a node that came in place of the one that is gone stays", async () => {
  const rig = new CloudRig();
  rig.add({ metadata: { name: "n" } });
  rig.client.store(NODES, { metadata: { name: "n", uid: "another" } });
  await pass(rig);
  assertEquals(rig.node("n").metadata?.uid, "another");
});

Deno.test("a node that has gone meanwhile is not a failure", async () => {
  const rig = new CloudRig();
  rig.add({ metadata: { name: "n" } });
  rig.client.remove(NODES, "n");
  await pass(rig);
  assertEquals(rig.events, [DELETING]);
});

Deno.test("a node of which nothing can be told does not keep others waiting for theirs", async () => {
  const rig = new CloudRig();
  rig.add({ metadata: { name: "a" } }, { metadata: { name: "b" } });
  rig.cloud.failures.set("instanceExists", ({ about }) => about === "a" ? new Error("no luck") : undefined);
  await pass(rig);
  assertEquals(rig.client.all(NODES).map(({ metadata }) => metadata?.name), ["a"]);
});

Deno.test("a node whose machine is gone is not asked about further", async () => {
  const rig = new CloudRig();
  rig.add({ metadata: { name: "n" } });
  await pass(rig);
  assertEquals(rig.cloud.requests, [{ method: "instanceExists", about: "n" }]);
});

Deno.test("a cloud that fails with not found has not said that the machine is gone", async () => {
  const rig = new CloudRig();
  rig.add({ metadata: { name: "n" } });
  rig.cloud.failures.set("instanceExists", new InstanceNotFoundError());
  await pass(rig);
  assertEquals([rig.client.calls, rig.events], [[], []]);
});

Deno.test("a cloud that says that all machines are gone is believed, but for nodes that are ready", async () => {
  const rig = new CloudRig();
  const node = (name: string, status: string): Node => ({
    metadata: { name },
    status: { conditions: [{ type: "Ready", status }] },
  });
  rig.add(node("a", "False"), node("b", "Unknown"), node("c", "True"));
  await pass(rig);
  assertEquals(rig.client.all(NODES).map(({ metadata }) => metadata?.name), ["c"]);
});

Deno.test("nothing more is asked or written once the process may act no longer", async () => {
  const rig = new CloudRig();
  rig.add({ metadata: { name: "a" } }, { metadata: { name: "b" } });
  const stop = new AbortController();
  rig.cloud.failures.set("instanceExists", () => void stop.abort());
  await monitorNodes({ ...rig, instances: rig.instances }, stop.signal);
  assertEquals([rig.cloud.requests.length, rig.client.calls, rig.events], [1, [], []]);
});
