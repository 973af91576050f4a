import { type Node, NODES, PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES, PODS } from "../../../../src/api/mod.ts";
import { parallelize } from "../../../../src/base/mod.ts";
import type { Client } from "../../../../src/client/mod.ts";
import { SIMULATED_STORAGE_DRIVER } from "../../../../src/rules/mod.ts";
import { claimOf } from "../../../scenarios/storage_kit.ts";
import { podWithClaims } from "../../../scenarios/volume_kit.ts";
import { InstantAttacher } from "./instant_attacher.ts";
import { makeNamespace } from "./kit.ts";
import type { Load } from "./load.ts";
import { Watched } from "./watched.ts";

const COUNT = 1_000;
const NODE_COUNT = COUNT / 5;
const LOST = NODE_COUNT / 4;
/** How many requests are under way at a time. */
const AT_ONCE = 50;
const NAMESPACE = "volumes";
const OUT_OF_SERVICE = { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" };
const MANAGED = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
const nodeName = (i: number) => `node-${i}`;
const nameOf = (i: number) => `v-${i}`;

/** Volumes that are attached where their pods are, and follow them from nodes that nobody will hear of again. */
export const VOLUMES: Load = {
  name: "volumes",
  description: `${COUNT} volumes are attached to ${NODE_COUNT} nodes, and those of ${LOST} nodes moved to the others`,
  controllers: ["persistentvolume-attach-detach-controller"],

  async prepare({ client }) {
    await makeNamespace(client, NAMESPACE);
    await parallelize(AT_ONCE, COUNT, (i) => makeVolume(client, nameOf(i)));
    await parallelize(AT_ONCE, NODE_COUNT, async (i) => {
      await client.createMetadata(NODES, { metadata: { name: nodeName(i), annotations: MANAGED } });
    });
  },

  async run({ client }) {
    await using _attacher = new InstantAttacher(client);
    await using nodes = new Watched(client, NODES);
    await parallelize(AT_ONCE, COUNT, (i) => makePod(client, i, nodeName(i % NODE_COUNT)));
    await nodes.until(`${COUNT} volumes are attached`, (all) => volumesOn(all) === COUNT);
    const moved = Array.from({ length: COUNT }, (_, i) => i).filter((i) => i % NODE_COUNT < LOST);
    await parallelize(AT_ONCE, LOST, (i) => lose(client, i));
    await parallelize(AT_ONCE, moved.length, async (i) => {
      await client.delete(PODS, { namespace: NAMESPACE, name: nameOf(moved[i]) }, { gracePeriodSeconds: 0 });
      await makePod(client, moved[i], nodeName(LOST + i % (NODE_COUNT - LOST)));
    });
    const isLost = new Set(Array.from({ length: LOST }, (_, i) => nodeName(i)));
    await nodes.until(
      `${moved.length} volumes are attached elsewhere`,
      (all) => volumesOn(all.filter(({ metadata }) => !isLost.has(metadata?.name ?? ""))) === COUNT,
    );
  },
};

/** How many volumes kubelets are told of. */
function volumesOn(nodes: readonly Node[]): number {
  return nodes.reduce((sum, { status }) => sum + (status?.volumesAttached?.length ?? 0), 0);
}

/** A node fails with its volumes mounted, and somebody has made sure that it is down. */
async function lose(client: Client, node: number): Promise<void> {
  const volumesInUse: string[] = [];
  for (let i = node; i < COUNT; i += NODE_COUNT) {
    volumesInUse.push(`kubernetes.io/csi/${SIMULATED_STORAGE_DRIVER}^${nameOf(i)}`);
  }
  const ref = { name: nodeName(node) };
  await client.patchMetadata(NODES, ref, { type: "merge", body: { status: { volumesInUse } }, subresource: "status" });
  await client.patchMetadata(NODES, ref, { type: "merge", body: { spec: { taints: [OUT_OF_SERVICE] } } });
}

async function makePod(client: Client, i: number, node: string): Promise<void> {
  const pod = podWithClaims(nameOf(i), [nameOf(i)]);
  await client.create(PODS, { ...pod, spec: { ...pod.spec!, nodeName: node } }, {
    namespace: NAMESPACE,
  });
}

/** A volume, and the claim that is bound to it. */
async function makeVolume(client: Client, name: string): Promise<void> {
  const claim = await client.create(PERSISTENTVOLUMECLAIMS, claimOf("", name, { spec: { volumeName: name } }), {
    namespace: NAMESPACE,
  });
  await client.create(PERSISTENTVOLUMES, {
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      csi: { driver: SIMULATED_STORAGE_DRIVER, volumeHandle: name },
      claimRef: { kind: "PersistentVolumeClaim", namespace: NAMESPACE, name, uid: claim.metadata?.uid },
    },
  });
  await client.updateStatus(PERSISTENTVOLUMECLAIMS, { ...claim, status: { phase: "Bound" } });
}
