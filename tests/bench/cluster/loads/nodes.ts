import {
  findCondition,
  formatMicroTime,
  formatTime,
  LEASES,
  NAMESPACES,
  type Node,
  NODES,
} from "../../../../src/api/mod.ts";
import { parallelize } from "../../../../src/base/mod.ts";
import { type Client, isAlreadyExists } from "../../../../src/client/mod.ts";
import type { Load, LoadCluster } from "./load.ts";
import { Watched } from "./watched.ts";

const COUNT = 2_000;
const LOST = 500;
const RENEWED_EVERY_MS = 10_000;
const RENEWED_FOR_MS = 120_000;
/** How many requests are under way at a time. */
const AT_ONCE = 50;
const LEASE_NAMESPACE = "kube-node-lease";
const UNREACHABLE = "node.kubernetes.io/unreachable";
const nameOf = (i: number) => `node-${i}`;

/** Nodes that come all at once: each gets its block of addresses, loses its taint and gets its annotation. */
export const NODES_REGISTER: Load = {
  name: "nodes-register",
  description: `${COUNT} nodes register and get CIDRs, labels and annotations`,
  controllers: ["node-ipam-controller", "node-lifecycle-controller", "ttl-controller"],
  flags: ["--allocate-node-cidrs=true", "--cluster-cidr=10.0.0.0/8", "--service-cluster-ip-range=10.0.0.0/16"],
  prepare: ({ client }) => makeLeaseNamespace(client),
  async run({ client }) {
    await using nodes = new Watched(client, NODES);
    await registerAll(client);
    await nodes.until(
      "all nodes have a CIDR and no taint",
      (all) => all.length === COUNT && all.every(({ spec }) => spec?.podCIDR && !spec.taints?.length),
    );
  },
};

/** Nodes that are well and say so: what it costs to hear it. */
export const NODES_RENEW: Load = {
  name: "nodes-renew",
  description: `${COUNT} leases of nodes renewed every ${RENEWED_EVERY_MS / 1000} s for ${RENEWED_FOR_MS / 1000} s`,
  controllers: ["node-lifecycle-controller"],
  prepare: prepareNodes,
  warmUp: untilReleased,
  async run({ client }) {
    const end = performance.now() + RENEWED_FOR_MS;
    for (let from = performance.now(); from < end; from += RENEWED_EVERY_MS) {
      await parallelize(AT_ONCE, COUNT, (i) => renew(client, nameOf(i)));
      await sleepUntil(from + RENEWED_EVERY_MS);
    }
  },
};

/** Nodes that fall silent together, while others go on. */
export const NODES_LOST: Load = {
  name: "nodes-lost",
  description: `${LOST} of ${COUNT} nodes fall silent at once and are marked and tainted`,
  controllers: ["node-lifecycle-controller"],
  flags: ["--node-monitor-grace-period=20s", "--node-eviction-rate=1000", "--secondary-node-eviction-rate=1000"],
  prepare: prepareNodes,
  warmUp: untilReleased,
  async run({ client }) {
    await using nodes = new Watched(client, NODES);
    let isOver = false;
    const renewing = (async () => {
      while (!isOver) {
        const next = performance.now() + 5_000;
        await parallelize(AT_ONCE, COUNT - LOST, (i) => renew(client, nameOf(LOST + i)));
        while (!isOver && performance.now() < next) await sleepUntil(performance.now() + 100);
      }
    })();
    try {
      await nodes.until("all lost nodes are tainted", (all) => {
        const tainted = all.filter(({ spec, status }) =>
          spec?.taints?.some(({ key, effect }) => key === UNREACHABLE && effect === "NoExecute") &&
          findCondition(status?.conditions, "Ready")?.status === "Unknown"
        );
        return tainted.length === LOST;
      });
    } finally {
      isOver = true;
      await renewing;
    }
  },
};

async function prepareNodes({ client }: LoadCluster): Promise<void> {
  await makeLeaseNamespace(client);
  await registerAll(client);
}

async function untilReleased({ client }: LoadCluster): Promise<void> {
  await using nodes = new Watched(client, NODES);
  await parallelize(AT_ONCE, COUNT, (i) => renew(client, nameOf(i)));
  await nodes.until("all nodes are released", (all) => all.every(({ spec }) => !spec?.taints?.length));
}

async function makeLeaseNamespace(client: Client): Promise<void> {
  await client.create(NAMESPACES, { metadata: { name: LEASE_NAMESPACE } }).catch((error) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

async function registerAll(client: Client): Promise<void> {
  await parallelize(AT_ONCE, COUNT, async (i) => {
    const at = formatTime(Date.now());
    const node: Node = {
      metadata: { name: nameOf(i), labels: { "topology.kubernetes.io/zone": `zone-${i % 4}` } },
      status: {
        conditions: [{ type: "Ready", status: "True", reason: "KubeletReady", lastHeartbeatTime: at }],
        capacity: { cpu: "8", memory: "16Gi", pods: "110" },
      },
    };
    await client.createMetadata(NODES, node);
    const metadata = { name: nameOf(i), namespace: LEASE_NAMESPACE };
    await client.createMetadata(LEASES, { metadata, spec: leaseSpec(nameOf(i)) });
  });
}

async function renew(client: Client, name: string): Promise<void> {
  const body = { spec: leaseSpec(name) };
  await client.patchMetadata(LEASES, { namespace: LEASE_NAMESPACE, name }, { type: "merge", body });
}

function leaseSpec(name: string) {
  return { holderIdentity: name, leaseDurationSeconds: 40, renewTime: formatMicroTime(Date.now()) };
}

async function sleepUntil(timeMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, timeMs - performance.now())));
}
