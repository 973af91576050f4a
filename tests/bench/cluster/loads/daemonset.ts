import { type DaemonSet, DAEMONSETS, formatTime, type Node, NODES } from "../../../../src/api/mod.ts";
import { parallelize } from "../../../../src/base/mod.ts";
import type { Client } from "../../../../src/client/mod.ts";
import { eventually } from "../../../controlplane/process.ts";
import { DaemonKubelets } from "./daemon_kubelets.ts";
import { makeNamespace, PATIENCE } from "./kit.ts";
import type { Load } from "./load.ts";

const COUNT = 1000;
/** How many nodes register at a time. */
const AT_ONCE = 50;
const NAMESPACE = "daemons";
const NAME = "agent";
const LABELS = { app: NAME };

/** A DaemonSet on many nodes, whose template changes. */
export const DAEMONSET: Load = {
  name: "daemonset",
  description: `a DaemonSet on ${COUNT} nodes is rolled, a tenth of them at a time`,
  controllers: ["daemonset-controller"],

  async prepare({ client }) {
    await makeNamespace(client, NAMESPACE);
    await parallelize(AT_ONCE, COUNT, async (i) => void await client.create(NODES, node(`node-${i}`)));
  },

  async warmUp({ client }) {
    await using _kubelets = new DaemonKubelets(client);
    await client.create(DAEMONSETS, daemonSet("one"), { namespace: NAMESPACE });
    await untilRolledOut(client);
  },

  async run({ client }) {
    await using _kubelets = new DaemonKubelets(client);
    const body = { spec: { template: daemonSet("two").spec!.template } };
    await client.patch(DAEMONSETS, { namespace: NAMESPACE, name: NAME }, { type: "merge", body });
    await untilRolledOut(client);
  },
};

function node(name: string): Node {
  const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady", lastTransitionTime: formatTime(0) }];
  return {
    metadata: { name, labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux" } },
    status: { capacity: { cpu: "64", pods: "110" }, allocatable: { cpu: "64", pods: "110" }, conditions },
  };
}

/** Its pods tolerate whatever nodes are said to be: nobody is there to say that they are ready. */
function daemonSet(version: string): DaemonSet {
  return {
    metadata: { name: NAME },
    spec: {
      selector: { matchLabels: LABELS },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "10%" } },
      template: {
        metadata: { labels: LABELS, annotations: { version } },
        spec: {
          containers: [{ name: "agent", image: "agent:1", resources: { requests: { cpu: "100m" } } }],
          tolerations: [{ operator: "Exists" }],
          terminationGracePeriodSeconds: 1,
        },
      },
    },
  };
}

async function untilRolledOut(client: Client): Promise<void> {
  await eventually(`DaemonSet ${NAME} is rolled out`, async () => {
    const { metadata, status } = await client.get(DAEMONSETS, { namespace: NAMESPACE, name: NAME });
    return status?.observedGeneration === metadata?.generation && status?.updatedNumberScheduled === COUNT &&
      status.numberAvailable === COUNT;
  }, PATIENCE);
}
