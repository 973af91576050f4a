import { assertEquals, assertRejects } from "@std/assert";
import { MetricsRegistry } from "../../../src/base/mod.ts";
import { type Node, NODES } from "../../../src/api/mod.ts";
import {
  InstanceNotFoundError,
  type Instances,
  instancesOf,
  NotImplementedError,
  type OlderInstances,
  type OlderZones,
} from "../../../src/cloud/mod.ts";
import { cloudNodeMetrics } from "../../../src/controllers/cloud_node/metrics.ts";
import { statusPass } from "../../../src/controllers/cloud_node/status_pass.ts";
import { syncNode } from "../../../src/controllers/cloud_node/sync.ts";
import { monitorNodes } from "../../../src/controllers/cloud_node_lifecycle/monitor.ts";
import { CloudRig } from "../controllers/cloud_rig.ts";

const { signal } = new AbortController();
const TAINT = { key: "node.cloudprovider.kubernetes.io/uninitialized", effect: "NoSchedule" };
const ADDRESS = { type: "InternalIP", address: "10.0.0.1" };
const NODE: Node = { metadata: { name: "n" }, spec: { taints: [TAINT] } };
const NAMED: Node = { metadata: { name: "n" }, spec: { providerID: "fake://own", taints: [TAINT] } };

type Answers = Partial<Record<keyof (OlderInstances & OlderZones), unknown>>;

const USUAL: Required<Answers> = {
  instanceID: "i-n",
  nodeAddresses: [ADDRESS],
  nodeAddressesByProviderID: [ADDRESS],
  instanceType: "by-name",
  instanceTypeByProviderID: "by-ID",
  instanceExistsByProviderID: true,
  instanceShutdownByProviderID: false,
  getZoneByProviderID: { failureDomain: "zone", region: "region" },
  getZoneByNodeName: { failureDomain: "zone-by-name", region: "region-by-name" },
};

/** A provider of old that answers so, or fails where an answer is an error. */
function older(answers: Answers = {}, { hasZones = true } = {}): { instances: Instances; asked: string[] } {
  const asked: string[] = [];
  const methods = Object.fromEntries(
    Object.entries({ ...USUAL, ...answers }).map(([method, answer]) => [
      method,
      (about: string) => {
        asked.push(`${method} ${about}`.trimEnd());
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
    ]),
  ) as unknown as OlderInstances & OlderZones;
  const zones = hasZones ? methods : undefined;
  return { asked, instances: instancesOf({ providerName: "fake", instances: methods, zones }) };
}

const noLuck = new Error("no luck");

/** What becomes of a node that is not ready. */
async function afterMonitoring(node: Node, answers: Answers): Promise<{ isGone: boolean; writes: string[] }> {
  const rig = new CloudRig();
  rig.add(node);
  await monitorNodes({ ...rig, instances: older(answers).instances }, signal);
  return { isGone: !rig.client.find(NODES, "n"), writes: rig.client.writes };
}

function nodeContext(rig: CloudRig, instances: Instances) {
  return { ...rig, instances, metrics: cloudNodeMetrics(new MetricsRegistry()) };
}

Deno.test("a node is initialized with what a provider of old knows of it", async () => {
  const rig = new CloudRig();
  rig.add(NODE);
  const { instances, asked } = older();
  await syncNode("n", nodeContext(rig, instances), signal);
  const { spec, metadata, status } = rig.node("n");
  assertEquals([spec?.providerID, spec?.taints, status?.addresses], ["fake://i-n", undefined, [ADDRESS]]);
  assertEquals(metadata?.labels?.["node.kubernetes.io/instance-type"], "by-ID");
  assertEquals(metadata?.labels?.["topology.kubernetes.io/zone"], "zone");
  assertEquals(metadata?.labels?.["topology.kubernetes.io/region"], "region");
  assertEquals(asked, [
    "instanceID n",
    "nodeAddressesByProviderID fake://i-n",
    "instanceTypeByProviderID fake://i-n",
    "getZoneByProviderID fake://i-n",
  ]);
});

Deno.test("a node is initialized without a provider ID if a provider of old has none", async () => {
  const rig = new CloudRig();
  rig.add(NODE);
  const { instances, asked } = older({
    instanceID: new NotImplementedError(),
    nodeAddressesByProviderID: noLuck,
    instanceTypeByProviderID: noLuck,
    getZoneByProviderID: noLuck,
  });
  await syncNode("n", nodeContext(rig, instances), signal);
  const { spec, metadata } = rig.node("n");
  assertEquals([spec?.providerID, spec?.taints], [undefined, undefined]);
  assertEquals(metadata?.labels?.["node.kubernetes.io/instance-type"], "by-name");
  assertEquals(metadata?.labels?.["topology.kubernetes.io/zone"], "zone-by-name");
  assertEquals(asked, [
    "instanceID n",
    "nodeAddressesByProviderID",
    "nodeAddresses n",
    "instanceTypeByProviderID",
    "instanceType n",
    "getZoneByProviderID",
    "getZoneByNodeName n",
  ]);
});

for (
  const [what, answers, message] of [
    ["has no such machine", { instanceID: new InstanceNotFoundError() }, "instance not found"],
    ["cannot tell the ID", { instanceID: noLuck }, "failed to get instance ID from cloud provider: no luck"],
    [
      "has no addresses",
      { nodeAddressesByProviderID: noLuck, nodeAddresses: new Error("none") },
      "error fetching node by provider ID: no luck, and error by node name: none",
    ],
    [
      "has no type",
      { instanceTypeByProviderID: noLuck, instanceType: new Error("none") },
      "InstanceType: Error fetching by providerID: no luck Error fetching by NodeName: none",
    ],
    [
      "has no zone",
      { getZoneByProviderID: noLuck, getZoneByNodeName: new Error("none") },
      "failed to get zone from cloud provider: " +
      "Zone: Error fetching by providerID: no luck Error fetching by NodeName: none",
    ],
  ] as const
) {
  Deno.test(`a node keeps its taint if a provider of old ${what}`, async () => {
    const rig = new CloudRig();
    rig.add(NODE);
    const syncing = () => syncNode("n", nodeContext(rig, older(answers).instances), signal);
    await assertRejects(syncing, Error, `failed to get instance metadata for node n: ${message}`);
    assertEquals([rig.client.writes, rig.events], [[], []]);
  });
}

Deno.test("a provider of old without zones is not asked for them", async () => {
  const { instances, asked } = older({}, { hasZones: false });
  const metadata = await instances.instanceMetadata(NAMED, signal);
  assertEquals(metadata, { providerID: "fake://own", nodeAddresses: [ADDRESS], instanceType: "by-ID" });
  assertEquals(asked, ["nodeAddressesByProviderID fake://own", "instanceTypeByProviderID fake://own"]);
});

Deno.test("a provider of old is asked for nothing but the addresses of a node that is initialized", async () => {
  for (const [providerID, expected] of [["fake://own", "fake://own"], [undefined, ""]] as const) {
    const rig = new CloudRig();
    rig.add({ metadata: { name: "n" }, spec: { providerID } });
    const { instances, asked } = older();
    await statusPass(nodeContext(rig, instances), 1, signal);
    assertEquals(asked, [`nodeAddressesByProviderID ${expected}`.trimEnd()]);
    assertEquals(rig.node("n").status?.addresses, [ADDRESS]);
  }
});

const READINESS: readonly (readonly [what: string, node: Node, answers: Answers, isGone: boolean])[] = [
  ["has no machine of its name", NODE, { instanceID: new InstanceNotFoundError() }, true],
  ["cannot be asked for its ID", NODE, { instanceID: noLuck }, false],
  ["has no IDs", NODE, { instanceID: new NotImplementedError() }, false],
  ["has its ID no more", NODE, { instanceExistsByProviderID: false }, true],
  ["does not know the ID that it has", NAMED, { instanceExistsByProviderID: false }, true],
  ["fails to find it by its ID", NAMED, { instanceExistsByProviderID: new InstanceNotFoundError() }, false],
  ["cannot be asked", NAMED, { instanceExistsByProviderID: noLuck }, false],
  ["has it", NAMED, {}, false],
  [
    "cannot tell whether it is stopped",
    NAMED,
    { instanceShutdownByProviderID: new NotImplementedError() },
    false,
  ],
];

for (const [what, node, answers, isGone] of READINESS) {
  Deno.test(`a node that is not ready, and a provider of old that ${what}`, async () => {
    const after = await afterMonitoring(node, answers);
    assertEquals(after, { isGone, writes: isGone ? ["delete nodes n"] : [] });
  });
}

Deno.test("a machine is stopped only if a provider of old says so", async () => {
  for (
    const [answers, expected] of [
      [{ instanceShutdownByProviderID: true }, true],
      [{ instanceShutdownByProviderID: new NotImplementedError() }, false],
      [{ instanceID: new InstanceNotFoundError() }, false],
    ] as const
  ) {
    assertEquals(await older(answers).instances.instanceShutdown(NODE, signal), expected);
  }
  await assertRejects(
    () => older({ instanceID: new NotImplementedError() }).instances.instanceShutdown(NODE, signal),
    NotImplementedError,
  );
  await assertRejects(
    () => older({ instanceShutdownByProviderID: noLuck }).instances.instanceShutdown(NODE, signal),
    Error,
    "no luck",
  );
});
