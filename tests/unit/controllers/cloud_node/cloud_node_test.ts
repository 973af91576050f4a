import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { MetricsRegistry } from "../../../../src/base/mod.ts";
import type { Node, NodeAddress, Taint } from "../../../../src/api/mod.ts";
import type { InstanceMetadata } from "../../../../src/cloud/mod.ts";
import type { CloudNodeContext } from "../../../../src/controllers/cloud_node/context.ts";
import { cloudNodeMetrics } from "../../../../src/controllers/cloud_node/metrics.ts";
import { statusPass } from "../../../../src/controllers/cloud_node/status_pass.ts";
import { syncNode } from "../../../../src/controllers/cloud_node/sync.ts";
import { CloudRig } from "../cloud_rig.ts";
import { statusError } from "../status_errors.ts";

const TAINT: Taint = { key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" };
const PROVIDED = "alpha.kubernetes.io/provided-node-ip";
const { signal } = new AbortController();

const internal = (address: string): NodeAddress => ({ type: "InternalIP", address });
const external = (address: string): NodeAddress => ({ type: "ExternalIP", address });
const hostname = (address: string): NodeAddress => ({ type: "Hostname", address });

const MACHINE: InstanceMetadata = {
  providerID: "fake://1",
  instanceType: "large",
  zone: "a",
  region: "eu",
  nodeAddresses: [internal("10.0.0.1"), external("1.1.1.1")],
};
const LABELS = {
  "beta.kubernetes.io/instance-type": "large",
  "node.kubernetes.io/instance-type": "large",
  "failure-domain.beta.kubernetes.io/zone": "a",
  "topology.kubernetes.io/zone": "a",
  "failure-domain.beta.kubernetes.io/region": "eu",
  "topology.kubernetes.io/region": "eu",
};

class Rig extends CloudRig {
  readonly metrics = new MetricsRegistry();
  readonly context: CloudNodeContext = { ...this, instances: this.instances, metrics: cloudNodeMetrics(this.metrics) };

  /** Adds a node whose machine is known like this. */
  given(node: Node, metadata: InstanceMetadata | null = MACHINE): void {
    this.add({ ...node, metadata: { name: "n", ...node.metadata } });
    this.cloud.machines.set("n", { metadata });
  }

  async sync(): Promise<void> {
    await syncNode("n", this.context, signal);
  }

  async pass(): Promise<void> {
    await statusPass(this.context, 1, signal);
  }
}

const uninitialized = (more: Node = {}): Node => ({ ...more, spec: { taints: [TAINT], ...more.spec } });

Deno.test("an uninitialized node gets ID, labels and addresses, loses its taint, and an event says so", async () => {
  const rig = new Rig();
  rig.given(uninitialized({ status: { addresses: [internal("10.0.0.1"), hostname("n")] } }));
  await rig.sync();
  const { metadata, spec, status } = rig.node("n");
  assertEquals(metadata?.labels, LABELS);
  assertEquals([spec?.providerID, spec?.taints], ["fake://1", undefined]);
  assertEquals(status?.addresses, [internal("10.0.0.1"), external("1.1.1.1"), hostname("n")]);
  assertEquals(rig.events, ["Normal Synced n: Node synced successfully"]);
  assertEquals(rig.client.writes, ["put nodes n", "patch nodes/status n"]);
  assertEquals(rig.client.bodies("patch nodes/status"), [{
    status: { addresses: [...status!.addresses!, { $patch: "replace" }] },
  }]);
});

Deno.test("a node that was initialized and whose labels are consistent is left alone", async () => {
  const rig = new Rig();
  rig.given({ metadata: { labels: LABELS } });
  await rig.sync();
  assertEquals([rig.client.calls, rig.cloud.requests], [[], []]);
});

const [ZONE, STABLE_ZONE] = ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"];
for (
  const [what, labels] of [
    ["only under its old name", { [ZONE]: "a" }],
    ["otherwise under its old name", { [ZONE]: "a", [STABLE_ZONE]: "b" }],
  ] as const
) {
  Deno.test(`a node that says its zone ${what} gets it under the present one`, async () => {
    const rig = new Rig();
    rig.given({ metadata: { labels } });
    await rig.sync();
    assertEquals(rig.client.bodies("patch nodes n"), [{ metadata: { labels: { [STABLE_ZONE]: "a" } } }]);
  });
}

Deno.test("a zone that a user gave a node under its present name alone stays", async () => {
  const rig = new Rig();
  rig.given({ metadata: { labels: { [STABLE_ZONE]: "b" } } });
  await rig.sync();
  assertEquals(rig.client.writes, []);
});

Deno.test("a node that its cloud knows nothing of for now keeps its taint", async () => {
  const rig = new Rig();
  rig.given(uninitialized(), null);
  await rig.sync();
  assertEquals([rig.client.writes, rig.events], [[], []]);
});

Deno.test("a node whose cloud cannot be asked keeps its taint, and is tried again", async () => {
  const rig = new Rig();
  rig.given(uninitialized());
  rig.cloud.failures.set("instanceMetadata", new Error("no luck"));
  await assertRejects(() => rig.sync(), Error, "failed to get instance metadata for node n: no luck");
  assertEquals(rig.client.writes, []);
});

Deno.test("a node needs an ID, of its cloud or its own, but for clouds whose machines have none", async () => {
  for (
    const [providerID, own, becomes] of [
      [undefined, undefined, Error],
      [undefined, "fake://own", "fake://own"],
      ["", undefined, undefined],
      ["fake://1", "fake://own", "fake://own"],
    ] as const
  ) {
    const rig = new Rig();
    rig.given(uninitialized({ spec: { providerID: own } }), { ...MACHINE, providerID });
    if (becomes === Error) {
      await assertRejects(() => rig.sync(), Error, "cloud provider does not set node provider ID for node n");
    } else {
      await rig.sync();
      assertEquals(rig.node("n").spec?.providerID, becomes);
      assertEquals(rig.events.length, 1);
    }
  }
});

const ADDRESSES = [internal("10.0.0.2"), internal("10.0.0.1"), internal("fc01::5"), external("1.1.1.1")];
for (
  const [asked, becomes] of [
    ["10.0.0.1", [internal("10.0.0.1"), external("1.1.1.1")]],
    ["010.0.0.01", [internal("10.0.0.1"), external("1.1.1.1")]],
    ["10.0.0.1,fc01:0::5", [internal("10.0.0.1"), internal("fc01::5"), external("1.1.1.1")]],
    ["fc01::5,10.0.0.2", [internal("fc01::5"), internal("10.0.0.2"), external("1.1.1.1")]],
    ["1.1.1.1", [external("1.1.1.1"), internal("10.0.0.2"), internal("10.0.0.1"), internal("fc01::5")]],
    ["10.9.9.9", "failed to get node address from cloud provider that matches ip: 10.9.9.9"],
    ["10.0.0.1, fc01::5", `failed to parse node IP "10.0.0.1, fc01::5": could not parse " fc01::5"`],
    ["", `failed to parse node IP "": could not parse ""`],
    ["10.0.0.1,10.0.0.2", "must contain either a single IP or a dual-stack pair of IPs"],
    ["10.0.0.1,fc01::5,10.0.0.2", "must contain either a single IP or a dual-stack pair of IPs"],
    ["0.0.0.0,fc01::5", "dual-stack node IP cannot include '0.0.0.0' or '::'"],
  ] as const
) {
  Deno.test(`a kubelet that asks for the address ${JSON.stringify(asked)}`, async () => {
    const rig = new Rig();
    rig.given(uninitialized({ metadata: { annotations: { [PROVIDED]: asked } } }), {
      ...MACHINE,
      nodeAddresses: ADDRESSES,
    });
    if (typeof becomes === "string") {
      const prefix = 'failed to get node modifiers from cloud provider: provided node ip for node "n" is not valid: ';
      const { message } = await assertRejects(() => rig.sync(), Error, prefix);
      assertEquals(message.endsWith(becomes), true, message);
      assertEquals(rig.client.writes, []);
    } else {
      await rig.sync();
      assertEquals(rig.node("n").status?.addresses, [...becomes]);
    }
  });
}

Deno.test("further labels of a cloud do not replace a node's own, nor take Kubernetes' names", async () => {
  const rig = new Rig();
  rig.given(uninitialized({ metadata: { labels: { mine: "yes" } } }), {
    ...MACHINE,
    additionalLabels: {
      "a.example/x": "1",
      "foo.kubernetes.io/y": "2",
      "k8s.io/z": "3",
      "notk8s.io/z": "4",
      mine: "no",
    },
  });
  await rig.sync();
  assertEquals(rig.node("n").metadata?.labels, { mine: "yes", "a.example/x": "1", "notk8s.io/z": "4", ...LABELS });
});

Deno.test("a node that others change meanwhile is written once the cache shows it, with one event", async () => {
  const rig = new Rig();
  rig.given(uninitialized());
  rig.client.fail("put nodes n", statusError(409, "Conflict"), { times: 2 });
  const syncing = rig.sync();
  await rig.world.clock.advance(10_000);
  await syncing;
  assertEquals(rig.client.writes.filter((text) => text === "put nodes n").length, 3);
  assertEquals(rig.events.length, 1);
});

Deno.test("a node that was replaced by another one of its name meanwhile is not written", async () => {
  const rig = new Rig();
  rig.given(uninitialized());
  rig.cloud.failures.set("instanceMetadata", () => {
    rig.add(uninitialized({ metadata: { name: "n", uid: "another" } }));
    return undefined;
  });
  await rig.sync();
  assertEquals([rig.client.writes, rig.events], [[], []]);
});

Deno.test("other taints stay, in their order", async () => {
  const rig = new Rig();
  const others: Taint[] = [{ key: "b", effect: "NoSchedule" }, { key: "a", effect: "NoExecute" }];
  rig.given({ spec: { taints: [others[0], { ...TAINT, effect: "NoExecute", value: "" }, others[1]] } });
  await rig.sync();
  assertEquals(rig.node("n").spec?.taints, others);
});

Deno.test("a node without addresses of its cloud is initialized, and keeps those of its kubelet", async () => {
  const rig = new Rig();
  rig.given(uninitialized({ status: { addresses: [internal("10.0.0.9")] } }), { providerID: "fake://1" });
  await rig.sync();
  assertEquals(rig.node("n").status?.addresses, [internal("10.0.0.9")]);
  assertEquals(rig.events.length, 1);
});

Deno.test("the pass over all nodes writes addresses that changed, and no others", async () => {
  const rig = new Rig();
  rig.given({ status: { addresses: [external("1.1.1.1"), internal("10.0.0.1"), hostname("n")] } });
  await rig.pass();
  assertEquals(rig.client.writes, [], "their order does not matter");
  rig.cloud.machines.set("n", { metadata: { ...MACHINE, nodeAddresses: [internal("10.0.0.2")] } });
  await rig.pass();
  assertEquals(rig.node("n").status?.addresses, [internal("10.0.0.2"), hostname("n")]);
  rig.show();
  await rig.pass();
  assertEquals(rig.client.writes.length, 1);
});

Deno.test("the pass over all nodes leaves alone who is uninitialized or unknown, and goes on after a failure", async () => {
  const rig = new Rig();
  rig.add(
    uninitialized({ metadata: { name: "tainted" } }),
    { metadata: { name: "failing" } },
    { metadata: { name: "unknown" } },
    { metadata: { name: "well" } },
  );
  for (const name of ["tainted", "failing", "well"]) rig.cloud.machines.set(name, { metadata: MACHINE });
  rig.cloud.failures.set("instanceMetadata", ({ about }) => about === "failing" ? new Error("no luck") : undefined);
  await rig.pass();
  assertEquals(rig.client.writes, ["patch nodes/status well"]);
  assertEquals(rig.cloud.asked().map(({ about }) => about).sort(), ["failing", "unknown", "well"]);
});

Deno.test("an address that the cloud says twice is written once: the server would refuse it", async () => {
  const rig = new Rig();
  rig.given({}, { ...MACHINE, nodeAddresses: [internal("10.0.0.1"), external("10.0.0.1"), internal("10.0.0.1")] });
  await rig.pass();
  assertEquals(rig.node("n").status?.addresses, [internal("10.0.0.1"), external("10.0.0.1")]);
  rig.show();
  await rig.pass();
  assertEquals(rig.client.writes.length, 1);
});

Deno.test("it is measured how long a node has waited since it was made", async () => {
  const rig = new Rig();
  rig.given(uninitialized());
  await rig.sync();
  rig.show();
  await rig.sync(); // initialized by now
  const text = rig.metrics.render();
  for (
    const name of [
      "node_controller_cloud_provider_taint_removal_delay_seconds",
      "node_controller_initial_node_sync_delay_seconds",
    ]
  ) {
    for (
      const line of [`${name}_bucket{le="16"} 0`, `${name}_bucket{le="64"} 1`, `${name}_sum 60`, `${name}_count 1`]
    ) {
      assertStringIncludes(text, line);
    }
  }
});
