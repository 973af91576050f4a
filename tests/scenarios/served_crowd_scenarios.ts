/** A Service of more pods than its Endpoints may hold, on any server and under either manager. */
import { CONFIGMAPS, ENDPOINTS, type Endpoints, type EndpointSlice, ENDPOINTSLICES, PODS } from "../../src/api/mod.ts";
import { parallelize } from "../../src/base/mod.ts";
import { createServedPod, createService, sayOfPod } from "./endpoints_kit.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";

const MOST = 1_000;
const CROWD = 1_200;
const AT_ONCE = 20;
const OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";

const podName = (i: number) => `p${String(i).padStart(4, "0")}`;
const address = (i: number) => `10.${1 + Math.floor(i / 250)}.0.${1 + i % 250}`;

async function addPods(kit: Kit, from: number, to: number, ready: boolean): Promise<void> {
  await parallelize(
    AT_ONCE,
    to - from,
    (i) => createServedPod(kit, podName(from + i), { ips: [address(from + i)], ready }),
  );
}

/** How many addresses there are, ready and not. */
function countsOf({ subsets = [] }: Endpoints): string {
  const count = (kind: "addresses" | "notReadyAddresses") =>
    subsets.reduce((sum, subset) => sum + (subset[kind]?.length ?? 0), 0);
  return `${count("addresses")} and ${count("notReadyAddresses")}`;
}

/** Waits until Endpoints have so many addresses, and writes down what else they say. */
async function seen(kit: Kit, name: string, counts: string): Promise<void> {
  const { metadata, subsets } = await kit.until(
    ENDPOINTS,
    "s",
    `have ${counts} addresses`,
    (endpoints) => countsOf(endpoints) === counts,
  );
  const addresses = (subsets ?? []).flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
  const data = {
    overCapacity: String(metadata?.annotations?.[OVER_CAPACITY]),
    labels: JSON.stringify(metadata?.labels),
    subsets: String(subsets?.length),
    distinct: String(new Set(addresses).size),
  };
  await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
}

/** Waits until the slices hold the pods that there are, each once, and have sizes for which this holds. */
async function untilSliced(kit: Kit, what: string, holds: (sizes: readonly number[]) => boolean): Promise<void> {
  const wanted = (await kit.list(PODS)).map(({ status }) => status?.podIP).sort().join();
  const endpointsOf = (slices: readonly EndpointSlice[]) => slices.map(({ endpoints }) => endpoints ?? []);
  await kit.untilAll(ENDPOINTSLICES, what, (all) => {
    const held = endpointsOf(all).flat().flatMap(({ addresses }) => addresses).sort();
    return held.join() === wanted && holds(endpointsOf(all).map(({ length }) => length));
  });
}

async function removePods(kit: Kit, from: number, to: number): Promise<void> {
  await parallelize(AT_ONCE, to - from, async (i) => {
    await kit.client.delete(PODS, { namespace: kit.namespace, name: podName(from + i) }, { gracePeriodSeconds: 0 });
  });
}

/** Takes the pods away: nobody wants to compare a thousand of them. */
async function removeAll(kit: Kit, count: number): Promise<void> {
  await parallelize(AT_ONCE, count, async (i) => {
    await kit.client.delete(PODS, { namespace: kit.namespace, name: podName(i) }, { gracePeriodSeconds: 0 });
  });
  await kit.untilAll(PODS, "none is left", (pods) => pods.length === 0);
}

export const SERVED_CROWD_SCENARIOS: readonly Scenario[] = [
  {
    name: "endpoints-of-more-than-a-thousand",
    run: async (kit) => {
      await addPods(kit, 0, 15, false);
      await addPods(kit, 15, 995, true);
      await createService(kit);
      await seen(kit, "below", "980 and 15");
      await addPods(kit, 995, MOST + 2, true);
      await seen(kit, "not-ready-first", "987 and 13");
      await addPods(kit, MOST + 2, MOST + 20, true);
      await seen(kit, "ready-too", `${MOST} and 0`);
      await parallelize(
        AT_ONCE,
        50,
        (i) => sayOfPod(kit, podName(15 + i), { ips: [address(15 + i)], ready: false, since: 5 }),
      );
      await seen(kit, "fewer-ready", "955 and 45");
      await removeAll(kit, MOST + 20);
      await seen(kit, "nobody", "0 and 0");
    },
  },
  {
    name: "slices-of-twelve-hundred",
    run: async (kit) => {
      await addPods(kit, 0, CROWD, true);
      await createService(kit);
      await seen(kit, "all", `${MOST} and 0`);
      await untilSliced(kit, "fill twelve", (sizes) => sizes.length === 12 && sizes.every((size) => size === 100));
      await removePods(kit, 0, 150);
      await addPods(kit, CROWD, CROWD + 150, true);
      await untilSliced(kit, "hold the others", (sizes) => sizes.length >= 12);
      await seen(kit, "truncated", `${MOST} and 0`);
      await removePods(kit, 150, CROWD + 150);
      await untilSliced(kit, "are one that is empty", (sizes) => sizes.join() === "0");
      await seen(kit, "nobody", "0 and 0");
    },
  },
];
