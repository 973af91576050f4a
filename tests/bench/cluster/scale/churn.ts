import { CONFIGMAPS, DEPLOYMENTS, formatMicroTime, LEASES, PODS } from "../../../../src/api/mod.ts";
import { type Client, isNotFound } from "../../../../src/client/mod.ts";
import {
  deploymentRef,
  deploymentsOf,
  LEASE_NAMESPACE,
  nodeName,
  podRef,
  type Population,
  REPLICAS,
} from "./population.ts";

/** Renews the lease of one node after the other, as kubelets do. */
export function renewLease(client: Client, { nodes }: Population): (i: number) => Promise<void> {
  return async (i) => {
    const body = { spec: { renewTime: formatMicroTime(Date.now()) } };
    const ref = { namespace: LEASE_NAMESPACE, name: nodeName(i % nodes) };
    await client.patchMetadata(LEASES, ref, { type: "merge", body });
  };
}

/** Coprime to all sizes here: neighbours in time are far from each other. */
const STRIDE = 7919;

/**
 * What happens in a cluster, one change after the other. Of ten changes, five are pods that get ready or no longer are, two pods
 * that are deleted and have to be replaced, two Deployments scaled by one, up or back, and one a ConfigMap that comes or goes.
 */
export function change(client: Client, population: Population): (i: number) => Promise<void> {
  const { pods } = population;
  return async (i) => {
    const kind = i % 10;
    const turn = Math.floor(i / 10);
    try {
      if (kind < 5) await flip(client, podRef((turn * 5 + kind) * STRIDE % pods), { isReady: i % 2 === 1 });
      else if (kind < 7) await removePod(client, podRef((turn * 2 + kind) * STRIDE % pods));
      else if (kind < 9) await scale(client, turn, { deployments: deploymentsOf(population), isUp: kind === 7 });
      else await comeOrGo(client, turn);
    } catch (error) {
      if (!isNotFound(error)) throw error; // a pod that was deleted before
    }
  };
}

async function flip(client: Client, ref: ReturnType<typeof podRef>, { isReady }: { isReady: boolean }): Promise<void> {
  const status = isReady ? "True" : "False";
  const body = { status: { conditions: [{ type: "Ready", status }, { type: "ContainersReady", status }] } };
  await client.patchMetadata(PODS, ref, { type: "strategic", subresource: "status", body });
}

async function removePod(client: Client, ref: ReturnType<typeof podRef>): Promise<void> {
  await client.delete(PODS, ref, { gracePeriodSeconds: 0 });
}

async function scale(
  client: Client,
  turn: number,
  { deployments, isUp }: { deployments: number; isUp: boolean },
): Promise<void> {
  // Scaled up, it is scaled back half a round later.
  const which = isUp ? turn : turn + Math.floor(deployments / 2);
  const body = { spec: { replicas: isUp ? REPLICAS + 1 : REPLICAS } };
  await client.patchMetadata(DEPLOYMENTS, deploymentRef(which % deployments), { type: "merge", body });
}

async function comeOrGo(client: Client, turn: number): Promise<void> {
  const ref = { namespace: deploymentRef(0).namespace, name: `note-${turn >> 1}` };
  if (turn % 2 === 0) await client.createMetadata(CONFIGMAPS, { metadata: ref, data: { note: "x".repeat(500) } });
  else await client.delete(CONFIGMAPS, ref);
}
