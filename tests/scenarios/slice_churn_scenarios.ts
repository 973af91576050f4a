/** Pods that come and go faster than slices are written, on any server and under either manager. */
import { type Endpoint, type EndpointSlice, type Pod, PODS, SERVICES } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import {
  addEndpoints,
  addPod,
  addPods,
  addService,
  ensureNodes,
  numberedIp,
  removePod,
  setPod,
  tellSlices,
  untilEndpoints,
  untilSizes,
  untilSlices,
} from "./slice_kit.ts";

const ROUNDS = 8;

/** Waits until the slices hold just the pods that there are, these and no earlier ones of the same names. */
async function untilTrue(kit: Kit): Promise<void> {
  const idOf = (uid: string | undefined, address: string | undefined) => `${uid} ${address}`;
  const wanted = (await kit.list(PODS)).map(({ metadata, status }: Pod) => idOf(metadata?.uid, status?.podIP)).sort();
  const held = (slices: readonly EndpointSlice[]) =>
    slices.flatMap(({ endpoints }) => endpoints ?? []).map(({ targetRef, addresses }) =>
      idOf(targetRef?.uid, addresses[0])
    ).sort();
  await untilSlices(kit, `${wanted.length} pods as they are`, (slices) => String(held(slices)) === String(wanted));
}

export const SLICE_CHURN_SCENARIOS: readonly Scenario[] = [
  {
    name: "slices-of-pods-that-come-and-go",
    async run(kit) {
      await ensureNodes(kit);
      await addService(kit);
      for (let round = 0; round < ROUNDS; round++) {
        const from = 20 * round;
        await addPods(kit, 20, { from });
        await Promise.all(Array.from({ length: 15 }, (_, i) => removePod(kit, `p${from + i}`)));
      }
      await untilEndpoints(kit, 5 * ROUNDS);
      await untilTrue(kit);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-of-pods-made-anew",
    async run(kit) {
      await ensureNodes(kit);
      await addService(kit);
      await addPods(kit, 10);
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all(Array.from({ length: 10 }, async (_, i) => {
          await removePod(kit, `p${i}`);
          await addPod(kit, `p${i}`, { ip: numberedIp((i + round) % 10) });
        }));
      }
      await untilTrue(kit);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-of-pods-that-change-their-minds",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 10);
      await addService(kit);
      await addService(kit, { name: "all", publishNotReadyAddresses: true });
      const isReady = (i: number, round: number) => (i + round) % 2 === 0;
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all(Array.from(
          { length: 10 },
          (_, i) => setPod(kit, `p${i}`, { ip: numberedIp(i), ready: isReady(i, round) }),
        ));
      }
      const isLast = ({ conditions, targetRef }: Endpoint) =>
        conditions?.serving === isReady(Number(targetRef?.name?.slice(1)), ROUNDS - 1);
      for (const service of ["web", "all"]) {
        await untilSlices(kit, "ten pods as they are last", (slices) => {
          const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
          return endpoints.length === 10 && endpoints.every(isLast);
        }, service);
      }
      await tellSlices(kit);
    },
  },
  {
    name: "slices-of-a-service-that-changes-its-mind",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 10);
      await addPods(kit, 10, { from: 10, labels: { app: "other" } });
      await addService(kit);
      for (let round = 0; round < ROUNDS; round++) {
        const selector = { app: round % 2 === 0 ? "other" : "web" };
        await kit.merge(SERVICES, "web", { spec: { selector, ports: [{ port: 80, targetPort: 8000 + round }] } });
      }
      await kit.merge(SERVICES, "web", { spec: { selector: { app: "other" } } });
      const isLast = ({ ports, endpoints }: EndpointSlice) =>
        ports?.[0].port === 8000 + ROUNDS - 1 && endpoints?.length === 10 &&
        endpoints.every(({ targetRef }) => Number(targetRef?.name?.slice(1)) >= 10);
      await untilSlices(kit, "the other pods alone", (slices) => slices.length === 1 && isLast(slices[0]));
      await tellSlices(kit);
    },
  },
];

/** Slices hold little, and of Endpoints little is mirrored. */
export const SMALL_SLICE_FLAGS: readonly string[] = [
  "--max-endpoints-per-slice=3",
  "--mirroring-max-endpoints-per-subset=5",
];

export const SMALL_SLICE_SCENARIOS: readonly Scenario[] = [
  {
    name: "slices-of-three",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 10);
      await addService(kit);
      await untilSizes(kit, [3, 3, 3, 1]);
      await tellSlices(kit, { sizesOnly: true });
      await addPods(kit, 2, { from: 10 });
      await untilSizes(kit, [3, 3, 3, 3]);
      await tellSlices(kit, { sizesOnly: true });
    },
  },
  {
    name: "mirrors-of-five",
    async run(kit) {
      const addresses = Array.from({ length: 8 }, (_, i) => ({ ip: `192.0.2.${i + 1}` }));
      await addEndpoints(kit, [
        { addresses, ports: [{ port: 80 }] },
        { addresses: addresses.slice(0, 2), notReadyAddresses: addresses.slice(2, 7), ports: [{ port: 81 }] },
      ]);
      await untilEndpoints(kit, 10, 7, "db");
      await tellSlices(kit);
    },
  },
];
