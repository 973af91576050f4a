/** Which slice an endpoint goes into, what others do to slices, and families. */
import { ENDPOINTSLICES, PODS, SERVICES } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import {
  addPod,
  addPods,
  addService,
  addSlice,
  ensureNodes,
  MANAGED_BY,
  numberedEndpoints,
  removePod,
  SERVICE_NAME,
  serviceOf,
  setPod,
  SLICE_MANAGER,
  tellSlices,
  untilEndpoints,
  untilSizes,
  untilSlices,
} from "./slice_kit.ts";

/** Makes pods and slices with so many of their endpoints each, and only then a selector. */
async function settled(kit: Kit, pods: number, sizes: readonly number[]): Promise<void> {
  await ensureNodes(kit);
  await addPods(kit, pods);
  const service = await addService(kit, { selector: undefined });
  const endpoints = await numberedEndpoints(kit, pods);
  for (const [i, size] of sizes.entries()) {
    await addSlice(kit, `web-${i}`, { service, endpoints: endpoints.splice(0, size) });
  }
}

/** Has `web` select its pods once the manager has seen them: what it sees first decides what goes where. */
async function select(kit: Kit): Promise<void> {
  const { length } = await kit.list(PODS);
  await addService(kit, { name: "seen" });
  await untilEndpoints(kit, length, length, "seen");
  await kit.delete(SERVICES, "seen");
  await untilSizes(kit, [], "seen");
  await kit.merge(SERVICES, "web", { spec: { selector: { app: "web" } } });
}

export const SLICE_PACKING_SCENARIOS: readonly Scenario[] = [
  {
    name: "slices-of-250-pods",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 250);
      await addService(kit);
      await untilSizes(kit, [100, 100, 50]);
      await tellSlices(kit, { sizesOnly: true });
      await kit.merge(SERVICES, "web", { spec: { ports: [{ port: 80, targetPort: 81 }] } });
      await untilSlices(kit, "the other port", (slices) => slices.every(({ ports }) => ports?.[0].port === 81));
      await untilSizes(kit, [100, 100, 50]);
      await tellSlices(kit, { sizesOnly: true });
    },
  },
  {
    name: "slices-half-filled",
    async run(kit) {
      await settled(kit, 250, [62, 61]);
      await select(kit);
      await untilSizes(kit, [100, 89, 61]);
      await tellSlices(kit, { sizesOnly: true });
    },
  },
  {
    name: "slices-half-filled-and-full-ones",
    async run(kit) {
      await settled(kit, 300, [74, 74]);
      await select(kit);
      await untilSizes(kit, [100, 74, 74, 52]);
      await tellSlices(kit, { sizesOnly: true });
    },
  },
  {
    name: "slices-of-thirty-left-alone",
    async run(kit) {
      await settled(kit, 150, [30, 30, 30, 30, 30]);
      await select(kit);
      await addService(kit, { name: "later", selector: { app: "none" } });
      await untilEndpoints(kit, 0, 0, "later");
      await tellSlices(kit, { sizesOnly: true });
      await kit.merge(SERVICES, "web", { spec: { ports: [{ port: 80, targetPort: 81 }] } });
      // Which of the five stay goes by the order of a map, upstream.
      await untilSizes(kit, [100, 50]);
    },
  },
  {
    name: "slices-room-for-one-more",
    async run(kit) {
      await settled(kit, 31, [10, 20]);
      await select(kit);
      await untilSizes(kit, [21, 10]);
      await removePod(kit, "p0");
      await untilSizes(kit, [21, 9]);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-emptied",
    async run(kit) {
      await settled(kit, 6, [3, 3]);
      await select(kit);
      for (const name of ["p0", "p1", "p2"]) await removePod(kit, name);
      await untilSizes(kit, [3]);
      await tellSlices(kit);
      for (const name of ["p3", "p4", "p5"]) await removePod(kit, name);
      await untilSlices(kit, "the placeholder", (slices) => slices.length === 1 && !slices[0].ports?.length);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-taken-over-in-part",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 3);
      const service = await addService(kit, { selector: undefined });
      const [right, other] = await numberedEndpoints(kit, 2);
      const gone = { ...other, addresses: ["10.20.0.77"] };
      const unready = { ...other, conditions: { ready: false } };
      await addSlice(kit, "web-0", { service, endpoints: [right, gone, unready], labels: { old: "yes" } });
      await select(kit);
      await untilEndpoints(kit, 3);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-of-strangers",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 1);
      const service = await addService(kit, { selector: undefined });
      const former = { ...service, metadata: { ...service.metadata, uid: "00000000-0000-0000-0000-000000000001" } };
      await addSlice(kit, "other-manager", { service, endpoints: [], labels: { [MANAGED_BY]: "somebody" } });
      await addSlice(kit, "names", {
        service,
        addressType: "FQDN",
        endpoints: [{ addresses: ["example.com"], conditions: { ready: true } }],
      });
      await addSlice(kit, "former", { service: former, endpoints: await numberedEndpoints(kit, 1) });
      await select(kit);
      await untilSlices(kit, "its own and the stranger's", (slices) => {
        const names = slices.map(({ metadata }) => metadata?.name);
        return slices.length === 2 && names.includes("other-manager") && !names.includes("names");
      });
      await tellSlices(kit);
    },
    eventsDiffer: "the garbage collector may be first to delete the slice of a former Service",
  },
  {
    name: "slices-edited",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 2);
      await addService(kit);
      const [slice] = await untilEndpoints(kit, 2);
      const name = slice.metadata!.name!;
      await kit.merge(ENDPOINTSLICES, name, { endpoints: [] });
      await untilEndpoints(kit, 2);
      await kit.merge(ENDPOINTSLICES, name, {
        endpoints: [{ addresses: ["10.1.1.1"] }],
        ports: [{ port: 1, name: "", protocol: "TCP" }],
      });
      await untilSlices(
        kit,
        "right again",
        (slices) => slices.length === 1 && slices[0].ports?.[0].port === 80 && slices[0].endpoints?.length === 2,
      );
      await tellSlices(kit);
      await kit.delete(ENDPOINTSLICES, name);
      await untilSlices(
        kit,
        "another one",
        (slices) => slices.length === 1 && slices[0].metadata?.name !== name && slices[0].endpoints?.length === 2,
      );
      await tellSlices(kit);
    },
  },
  {
    name: "slices-given",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 2);
      const service = await addService(kit);
      await untilEndpoints(kit, 2);
      const [endpoint] = await numberedEndpoints(kit, 1);
      const endpoints = [{ ...endpoint, addresses: ["10.1.1.1"] }];
      await addSlice(kit, "other", { service, endpoints, labels: { [MANAGED_BY]: "somebody" } });
      await kit.merge(ENDPOINTSLICES, "other", { metadata: { labels: { [MANAGED_BY]: SLICE_MANAGER } } });
      await untilSlices(kit, "two endpoints", (slices) => slices.length === 1 && slices[0].endpoints?.length === 2);
      await tellSlices(kit);
      await addSlice(kit, "lost", { service, endpoints, labels: { [SERVICE_NAME]: "nobody" } });
      await kit.merge(ENDPOINTSLICES, "lost", { metadata: { labels: { [SERVICE_NAME]: "web" } } });
      await untilSlices(kit, "two endpoints", (slices) => slices.length === 1 && slices[0].endpoints?.length === 2);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-dual-stack",
    async run(kit) {
      await ensureNodes(kit);
      await addPod(kit, "both", { ip: ["10.9.0.1", "fd00::1"] });
      await addPod(kit, "four", { ip: "10.9.0.2" });
      await addPod(kit, "six", { ip: "fd00:0:0::3" });
      await addPod(kit, "turned", { ip: ["fd00::4", "10.9.0.4"] });
      await kit.createUnchecked(SERVICES, serviceOf({ clusterIP: "None" }), ({ spec }) => {
        Object.assign(spec!, { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "PreferDualStack" });
      });
      await untilEndpoints(kit, 6);
      await tellSlices(kit);
      await setPod(kit, "both", { ip: ["10.9.0.1", "fd00::1"], ready: false });
      await untilEndpoints(kit, 6, 4);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-families-change",
    async run(kit) {
      await ensureNodes(kit);
      await addPod(kit, "both", { ip: ["10.9.0.1", "fd00::1"] });
      await kit.createUnchecked(SERVICES, serviceOf({ clusterIP: "None" }), ({ spec }) => {
        Object.assign(spec!, { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "PreferDualStack" });
      });
      await untilSizes(kit, [1, 1]);
      await kit.changeUnchecked(SERVICES, "web", ({ spec }) => {
        Object.assign(spec!, { ipFamilies: ["IPv6"], ipFamilyPolicy: "SingleStack" });
      });
      await untilSizes(kit, [1]);
      await tellSlices(kit);
      await kit.changeUnchecked(SERVICES, "web", ({ spec }) => {
        Object.assign(spec!, { ipFamilies: ["IPv6", "IPv4"], ipFamilyPolicy: "PreferDualStack" });
      });
      await untilSizes(kit, [1, 1]);
      await tellSlices(kit);
    },
  },
];
