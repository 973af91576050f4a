/** What becomes of nodes whose machines are in a cloud, under either manager. */
import type { InstanceMetadata } from "../../src/cloud/mod.ts";
import type { ScriptedCloud } from "../controlplane/scripted_cloud.ts";
import {
  addCloudNode,
  addMachine,
  address,
  changeNode,
  type CloudScenario,
  concludeNodes,
  failure,
  FAILURES,
  hasAddress,
  inName,
  linger,
  metadataOf,
  nodeOf,
  untilAsked,
  untilAskedAgain,
  untilInitialized,
  untilNode,
} from "./cloud_kit.ts";
import type { Kit } from "./kit.ts";

const PROVIDED = "alpha.kubernetes.io/provided-node-ip";

/** Makes a node, and concludes once it is initialized and has its addresses. */
async function initialized(kit: Kit, cloud: ScriptedCloud, traits: Parameters<typeof addMachine>[3]): Promise<void> {
  await addMachine(kit, cloud, "a", traits);
  await untilInitialized(kit, "a");
  await untilAddressed(kit, cloud);
  await concludeNodes(kit, cloud);
}

/** Its addresses are written behind its taint: waits until they are asked for again. */
async function untilAddressed(kit: Kit, cloud: ScriptedCloud, name = "a"): Promise<void> {
  await untilAskedAgain(kit, cloud, { method: "instanceMetadata", about: nodeOf(kit, name) });
}

/** Lets the node's machine be another one. */
function become(kit: Kit, cloud: ScriptedCloud, metadata: Partial<InstanceMetadata>, name = "a"): void {
  cloud.machines.set(nodeOf(kit, name), { metadata: metadataOf(kit, name, metadata) });
}

const INITIALIZED: readonly CloudScenario[] = [
  {
    name: "cloud-node-usual",
    run: (kit, cloud) => initialized(kit, cloud, {}),
  },
  {
    name: "cloud-node-with-its-own-id",
    run: (kit, cloud) =>
      initialized(kit, cloud, {
        spec: { providerID: "judge://its-own" },
        metadata: { providerID: undefined },
      }),
  },
  {
    name: "cloud-node-with-another-id",
    run: async (kit, cloud) => {
      cloud.machines.set(`other-${kit.namespace}`, {
        metadata: metadataOf(kit, "b", { providerID: `judge://${kit.namespace}` }),
      });
      await addCloudNode(kit, "a", { spec: { providerID: `judge://${kit.namespace}` } });
      await untilInitialized(kit, "a");
      await untilAddressed(kit, cloud);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-with-taints",
    run: (kit, cloud) =>
      initialized(kit, cloud, {
        spec: {
          taints: [{ key: "example.com/a", effect: "NoSchedule" }, {
            key: "example.com/b",
            effect: "PreferNoSchedule",
          }],
        },
      }),
  },
  {
    name: "cloud-node-additional-labels",
    run: (kit, cloud) =>
      initialized(kit, cloud, {
        labels: { "example.com/kept": "mine", "example.com/same": "same" },
        metadata: {
          additionalLabels: {
            "example.com/new": "new",
            "example.com/kept": "theirs",
            "example.com/same": "same",
            "kubernetes.io/os": "linux",
            "node.kubernetes.io/own": "no",
            "example.k8s.io/own": "no",
            "notkubernetes.io/own": "yes",
          },
        },
      }),
  },
  {
    name: "cloud-node-labels-are-replaced",
    run: (kit, cloud) =>
      initialized(kit, cloud, {
        labels: {
          "topology.kubernetes.io/zone": "other",
          "failure-domain.beta.kubernetes.io/region": "other",
          "node.kubernetes.io/instance-type": "small",
        },
      }),
  },
  {
    name: "cloud-node-without-zone",
    run: (kit, cloud) =>
      initialized(kit, cloud, { metadata: { zone: undefined, region: undefined, instanceType: undefined } }),
  },
  {
    name: "cloud-node-with-a-region-only",
    run: (kit, cloud) => initialized(kit, cloud, { metadata: { zone: "", instanceType: "" } }),
  },
  {
    name: "cloud-node-without-addresses",
    run: (kit, cloud) => initialized(kit, cloud, { metadata: { nodeAddresses: [] } }),
  },
  {
    name: "cloud-node-with-a-hostname-of-its-cloud",
    run: (kit, cloud) =>
      initialized(kit, cloud, {
        metadata: { nodeAddresses: [address("Hostname", "cloud.example.com"), address("InternalIP", "10.1.0.1")] },
      }),
  },
  {
    name: "cloud-node-without-addresses-of-its-own",
    run: (kit, cloud) => initialized(kit, cloud, { addresses: [] }),
  },
  {
    name: "cloud-node-provided-address",
    run: (kit, cloud) =>
      initialized(kit, cloud, {
        annotations: { [PROVIDED]: "10.1.0.2" },
        metadata: {
          nodeAddresses: [
            address("InternalIP", "10.1.0.1"),
            address("InternalIP", "10.1.0.2"),
            address("ExternalIP", "203.0.113.1"),
            address("InternalDNS", "a.internal"),
          ],
        },
      }),
  },
  {
    name: "cloud-node-provided-external-address",
    run: (kit, cloud) =>
      initialized(kit, cloud, {
        annotations: { [PROVIDED]: "203.0.113.2" },
        metadata: {
          nodeAddresses: [
            address("InternalIP", "10.1.0.1"),
            address("ExternalIP", "203.0.113.1"),
            address("ExternalIP", "203.0.113.2"),
          ],
        },
      }),
  },
  {
    name: "cloud-node-provided-addresses-of-both-families",
    run: (kit, cloud) =>
      initialized(kit, cloud, {
        annotations: { [PROVIDED]: "fd00::2,10.1.0.1" },
        metadata: {
          nodeAddresses: [
            address("InternalIP", "10.1.0.1"),
            address("InternalIP", "10.1.0.2"),
            address("InternalIP", "fd00::1"),
            address("InternalIP", "fd00::2"),
          ],
        },
      }),
  },
  {
    name: "cloud-node-provided-family",
    run: async (kit, cloud) => {
      const nodeAddresses = [address("InternalIP", "10.1.0.1"), address("InternalIP", "fd00::1")];
      await addMachine(kit, cloud, "a", { annotations: { [PROVIDED]: "::" }, metadata: { nodeAddresses } });
      await untilAsked(kit, cloud, { method: "instanceMetadata", about: nodeOf(kit, "a"), times: 4 });
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-provided-address-is-wrong",
    run: async (kit, cloud) => {
      await addMachine(kit, cloud, "a", { annotations: { [PROVIDED]: "10.7.7.7" } });
      await untilAsked(kit, cloud, { method: "instanceMetadata", about: nodeOf(kit, "a"), times: 4 });
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-provided-address-is-none",
    run: async (kit, cloud) => {
      await addMachine(kit, cloud, "a", { annotations: { [PROVIDED]: "nonsense" } });
      await untilAsked(kit, cloud, { method: "instanceMetadata", about: nodeOf(kit, "a"), times: 4 });
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-provided-address-is-corrected",
    run: async (kit, cloud) => {
      await addMachine(kit, cloud, "a", { annotations: { [PROVIDED]: "10.7.7.7" } });
      await untilAsked(kit, cloud, { method: "instanceMetadata", about: nodeOf(kit, "a"), times: 2 });
      await changeNode(kit, "a", { metadata: { annotations: { [PROVIDED]: "10.1.0.1" } } });
      await untilInitialized(kit, "a");
      await untilAddressed(kit, cloud);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-without-any-id",
    run: async (kit, cloud) => {
      await addMachine(kit, cloud, "a", { metadata: { providerID: undefined } });
      await untilAsked(kit, cloud, { method: "instanceMetadata", about: nodeOf(kit, "a"), times: 4 });
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-gets-an-id-later",
    run: async (kit, cloud) => {
      await addMachine(kit, cloud, "a", { metadata: { providerID: undefined } });
      await untilAsked(kit, cloud, { method: "instanceMetadata", about: nodeOf(kit, "a"), times: 4 });
      become(kit, cloud, {});
      await untilInitialized(kit, "a");
      await untilAddressed(kit, cloud);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-of-which-nothing-is-known",
    run: async (kit, cloud) => {
      cloud.machines.set(nodeOf(kit, "a"), { metadata: null });
      await addCloudNode(kit, "a");
      await untilAsked(kit, cloud, { method: "instanceMetadata", about: nodeOf(kit, "a") });
      await linger(kit);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-of-which-nothing-is-known-at-first",
    run: async (kit, cloud) => {
      cloud.machines.set(nodeOf(kit, "a"), { metadata: null });
      await addCloudNode(kit, "a");
      await untilAsked(kit, cloud, { method: "instanceMetadata", about: nodeOf(kit, "a") });
      await linger(kit, 5);
      become(kit, cloud, {});
      await changeNode(kit, "a", { metadata: { labels: { "example.com/touched": "" } } });
      await untilInitialized(kit, "a");
      await untilAddressed(kit, cloud);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-that-never-waited",
    run: async (kit, cloud) => {
      await addMachine(kit, cloud, "a", { tainted: false });
      await untilNode(kit, "a", "has its addresses", (node) => hasAddress(node, "10.1.0.1"));
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-that-waits-again",
    run: async (kit, cloud) => {
      await addMachine(kit, cloud, "a");
      await untilInitialized(kit, "a");
      become(kit, cloud, { zone: "zone-2", instanceType: "larger", providerID: `judge://${nodeOf(kit, "a")}` });
      const key = "node.cloudprovider.kubernetes.io/uninitialized";
      await changeNode(kit, "a", { spec: { taints: [{ key, value: "true", effect: "NoSchedule" }] } });
      await untilNode(
        kit,
        "a",
        "is in the other zone",
        ({ metadata }) => metadata?.labels?.["topology.kubernetes.io/zone"] === "zone-2",
      );
      await untilAddressed(kit, cloud);
      await concludeNodes(kit, cloud);
    },
  },
];

const FAILING: readonly CloudScenario[] = FAILURES.map((kind) => ({
  name: `cloud-node-not-described-${inName(kind)}`,
  run: async (kit, cloud) => {
    cloud.fail("instanceMetadata", nodeOf(kit, "a"), failure(kind), 3);
    await addMachine(kit, cloud, "a");
    await untilInitialized(kit, "a");
    await untilAddressed(kit, cloud);
    await concludeNodes(kit, cloud);
  },
}));

const LATER: readonly CloudScenario[] = [
  {
    name: "cloud-node-moves",
    run: async (kit, cloud) => {
      await addMachine(kit, cloud, "a");
      await untilInitialized(kit, "a");
      become(kit, cloud, {
        nodeAddresses: [address("InternalIP", "10.1.0.5")],
        zone: "zone-2",
        instanceType: "larger",
      });
      await untilNode(kit, "a", "has its new address", (node) => hasAddress(node, "10.1.0.5"));
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-loses-its-addresses",
    run: async (kit, cloud) => {
      await addMachine(kit, cloud, "a");
      await untilInitialized(kit, "a");
      await untilAddressed(kit, cloud);
      become(kit, cloud, { nodeAddresses: [] });
      await untilAddressed(kit, cloud);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-swaps-addresses-of-a-type",
    run: async (kit, cloud) => {
      const list = [address("InternalIP", "10.1.0.1"), address("InternalIP", "10.1.0.2")];
      await addMachine(kit, cloud, "a", { metadata: { nodeAddresses: list } });
      await untilInitialized(kit, "a");
      await untilNode(kit, "a", "has its addresses", (node) => hasAddress(node, "10.1.0.2"));
      await untilAddressed(kit, cloud);
      become(kit, cloud, { nodeAddresses: list.toReversed() });
      await untilAddressed(kit, cloud);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-is-not-described-any-more",
    run: async (kit, cloud) => {
      await addMachine(kit, cloud, "a");
      await untilInitialized(kit, "a");
      await untilAddressed(kit, cloud);
      cloud.fail("instanceMetadata", nodeOf(kit, "a"), failure("other"));
      become(kit, cloud, { nodeAddresses: [address("InternalIP", "10.1.0.5")] });
      await untilAddressed(kit, cloud);
      cloud.mend("instanceMetadata", nodeOf(kit, "a"));
      await untilNode(kit, "a", "has its new address", (node) => hasAddress(node, "10.1.0.5"));
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-address-is-provided-wrongly-later",
    run: async (kit, cloud) => {
      await addMachine(kit, cloud, "a");
      await untilInitialized(kit, "a");
      await untilAddressed(kit, cloud);
      await changeNode(kit, "a", { metadata: { annotations: { [PROVIDED]: "10.7.7.7" } } });
      become(kit, cloud, { nodeAddresses: [address("InternalIP", "10.1.0.5")] });
      await untilAddressed(kit, cloud);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-is-labelled-otherwise",
    run: async (kit, cloud) => {
      await addMachine(kit, cloud, "a");
      await untilInitialized(kit, "a");
      await untilAddressed(kit, cloud);
      await changeNode(kit, "a", {
        metadata: {
          labels: {
            "failure-domain.beta.kubernetes.io/zone": "zone-9",
            "topology.kubernetes.io/region": "region-9",
            "beta.kubernetes.io/instance-type": null,
          },
        },
      });
      await untilNode(
        kit,
        "a",
        "has its labels again",
        ({ metadata: { labels = {} } = {} }) =>
          labels["topology.kubernetes.io/zone"] === "zone-9" && labels["topology.kubernetes.io/region"] === "region-1",
      );
      await untilAddressed(kit, cloud);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-loses-labels",
    run: async (kit, cloud) => {
      await addMachine(kit, cloud, "a");
      await untilInitialized(kit, "a");
      await untilAddressed(kit, cloud);
      await changeNode(kit, "a", {
        metadata: {
          labels: {
            "topology.kubernetes.io/zone": null,
            "failure-domain.beta.kubernetes.io/region": null,
            "node.kubernetes.io/instance-type": null,
          },
        },
      });
      await untilNode(
        kit,
        "a",
        "has its zone again",
        ({ metadata }) => metadata?.labels?.["topology.kubernetes.io/zone"] === "zone-1",
      );
      await untilAddressed(kit, cloud);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-node-with-labels-of-a-system",
    run: async (kit, cloud) => {
      const labels = {
        "kubernetes.io/os": "linux",
        "beta.kubernetes.io/os": "plan9",
        "beta.kubernetes.io/arch": "amd64",
      };
      await addMachine(kit, cloud, "a", { labels });
      await untilInitialized(kit, "a");
      await untilAddressed(kit, cloud);
      await concludeNodes(kit, cloud);
    },
  },
];

export const CLOUD_NODE_SCENARIOS: readonly CloudScenario[] = [...INITIALIZED, ...FAILING, ...LATER];
