/** Endpoints that users write, and the slices that mirror them. */
import { type EndpointAddress, ENDPOINTS, ENDPOINTSLICES, SERVICES } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import {
  addEndpoints,
  addService,
  addSlice,
  MANAGED_BY,
  MIRROR_MANAGER,
  sizesOf,
  tellSlices,
  untilSlices,
} from "./slice_kit.ts";

const PORTS = [{ name: "sql", port: 5432, protocol: "TCP" }];
const SKIP = "endpointslice.kubernetes.io/skip-mirror";
const ADDRESSES = [{ ip: "10.7.0.1" }, { ip: "10.7.0.2" }];

/** Waits until the slices of `db` have just these numbers of endpoints. */
async function untilMirrored(kit: Kit, ...sizes: number[]): Promise<void> {
  await untilSlices(kit, `mirrors of ${sizes}`, (slices) => sizesOf(slices).join() === sizes.join(), "db");
}

/** Waits until mirroring has come past all that happened before: another Service's slice is there. */
async function untilPassed(kit: Kit, name: string): Promise<void> {
  await addEndpoints(kit, [{ addresses: [{ ip: "10.7.9.9" }], ports: PORTS }], { name });
  await untilSlices(kit, "the later one", (slices) => slices.length === 1, name);
}

function many(count: number): EndpointAddress[] {
  return Array.from({ length: count }, (_, i) => ({ ip: `10.8.${i >> 8}.${i & 255}` }));
}

export const MIRROR_SCENARIOS: readonly Scenario[] = [
  {
    name: "mirror-addresses",
    async run(kit) {
      const targetRef = {
        kind: "VM",
        namespace: "elsewhere",
        name: "vm-1",
        apiVersion: "example.com/v1",
        resourceVersion: "7",
      };
      await addEndpoints(kit, [{
        addresses: [{ ip: "10.7.0.1", hostname: "first", nodeName: "somewhere", targetRef }, { ip: "10.7.0.2" }],
        notReadyAddresses: [{ ip: "10.7.0.3" }],
        ports: [...PORTS, { name: "web", port: 80, protocol: "TCP", appProtocol: "http" }],
      }], { labels: { tier: "back" }, annotations: { "example.com/kept": "yes" } });
      await untilMirrored(kit, 3);
      await tellSlices(kit, { times: true, writes: true });
      await kit.merge(ENDPOINTS, "db", { subsets: [{ notReadyAddresses: ADDRESSES, ports: PORTS }] });
      await untilMirrored(kit, 2);
      await tellSlices(kit);
    },
  },
  {
    name: "mirror-families",
    async run(kit) {
      const addresses = [{ ip: "10.7.0.1" }, { ip: "fd00::1" }, { ip: "fd00:0:0::2" }];
      await addEndpoints(kit, [{ addresses, ports: PORTS }]);
      await untilMirrored(kit, 2, 1);
      await tellSlices(kit);
      await kit.merge(ENDPOINTS, "db", { subsets: [{ addresses: [{ ip: "fd00::1" }], ports: PORTS }] });
      await untilMirrored(kit, 1);
      await tellSlices(kit);
    },
  },
  {
    name: "mirror-subsets",
    async run(kit) {
      const http = [{ name: "http", port: 80, protocol: "TCP" }];
      await addEndpoints(kit, [
        { addresses: [ADDRESSES[0]], ports: PORTS },
        { addresses: [ADDRESSES[1]], ports: PORTS },
        { addresses: ADDRESSES, ports: http },
        { notReadyAddresses: [ADDRESSES[0]], ports: http },
        { addresses: [{ ip: "10.7.0.3" }] },
      ]);
      await untilMirrored(kit, 2, 2, 1);
      await tellSlices(kit);
    },
  },
  {
    name: "mirror-ports-change",
    async run(kit) {
      await addEndpoints(kit, [{ addresses: ADDRESSES, ports: PORTS }]);
      await untilMirrored(kit, 2);
      await kit.merge(ENDPOINTS, "db", {
        subsets: [{ addresses: ADDRESSES, ports: [{ name: "sql", port: 3306, protocol: "TCP" }] }],
      });
      await untilSlices(
        kit,
        "the other port",
        (slices) => slices.length === 1 && slices[0].ports?.[0].port === 3306,
        "db",
      );
      await tellSlices(kit);
    },
  },
  {
    name: "mirror-nothing",
    async run(kit) {
      await addEndpoints(kit, []);
      await untilPassed(kit, "later");
      await kit.merge(ENDPOINTS, "db", { subsets: [{ addresses: ADDRESSES, ports: PORTS }] });
      await untilMirrored(kit, 2);
      await kit.merge(ENDPOINTS, "db", { subsets: null });
      await untilMirrored(kit);
      await tellSlices(kit);
    },
  },
  {
    name: "mirror-skipped",
    async run(kit) {
      await addEndpoints(kit, [{ addresses: ADDRESSES, ports: PORTS }], { labels: { [SKIP]: "true" } });
      await untilPassed(kit, "later");
      await tellSlices(kit);
      await kit.merge(ENDPOINTS, "db", { metadata: { labels: { [SKIP]: "false" } } });
      await untilMirrored(kit, 2);
      await tellSlices(kit);
      await kit.merge(ENDPOINTS, "db", { metadata: { labels: { [SKIP]: "true" } } });
      await untilMirrored(kit);
    },
  },
  {
    name: "mirror-lock",
    async run(kit) {
      await addEndpoints(kit, [{ addresses: ADDRESSES, ports: PORTS }], {
        annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" },
      });
      await untilPassed(kit, "later");
      await tellSlices(kit);
    },
  },
  {
    name: "mirror-service-comes-and-goes",
    async run(kit) {
      const endpoints = {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { name: "db" },
        subsets: [{ addresses: ADDRESSES, ports: PORTS }],
      };
      await kit.create(ENDPOINTS, endpoints);
      await untilPassed(kit, "later");
      await tellSlices(kit);
      await addService(kit, { name: "db", selector: undefined });
      await untilMirrored(kit, 2);
      await tellSlices(kit);
      await kit.merge(SERVICES, "db", { spec: { selector: { app: "none" } } });
      await untilSlices(
        kit,
        "no mirror",
        (slices) => slices.every(({ metadata }) => metadata?.labels?.[MANAGED_BY] !== MIRROR_MANAGER),
        "db",
      );
      await kit.until(ENDPOINTS, "db", "have nothing that was selected", ({ subsets }) => !subsets?.length);
      await kit.merge(SERVICES, "db", { spec: { selector: null } });
      await kit.merge(ENDPOINTS, "db", { subsets: endpoints.subsets });
      await untilSlices(
        kit,
        "a mirror",
        (slices) => slices.some(({ metadata }) => metadata?.labels?.[MANAGED_BY] === MIRROR_MANAGER),
        "db",
      );
      await tellSlices(kit);
      await kit.delete(SERVICES, "db");
      await untilMirrored(kit);
    },
  },
  {
    name: "mirror-endpoints-go",
    async run(kit) {
      await addEndpoints(kit, [{ addresses: ADDRESSES, ports: PORTS }]);
      await untilMirrored(kit, 2);
      await kit.delete(ENDPOINTS, "db");
      await untilMirrored(kit);
      await kit.create(ENDPOINTS, {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { name: "db" },
        subsets: [{ addresses: ADDRESSES }],
      });
      await untilMirrored(kit, 2);
      await tellSlices(kit);
    },
  },
  {
    name: "mirror-metadata",
    async run(kit) {
      const applied = "kubectl.kubernetes.io/last-applied-configuration";
      await addEndpoints(kit, [{ addresses: ADDRESSES, ports: PORTS }], {
        labels: { a: "1", b: "2" },
        annotations: {
          c: "3",
          [applied]: "{}",
          "endpoints.kubernetes.io/last-change-trigger-time": "2024-01-01T00:00:00Z",
        },
      });
      await untilMirrored(kit, 2);
      await tellSlices(kit, { times: true });
      await kit.merge(ENDPOINTS, "db", { metadata: { labels: { a: null }, annotations: { d: "4" } } });
      await untilSlices(
        kit,
        "new metadata",
        ([slice]) => slice?.metadata?.annotations?.d === "4" && !slice.metadata.labels?.a,
        "db",
      );
      await tellSlices(kit, { times: true });
    },
  },
  {
    name: "mirror-edited",
    async run(kit) {
      await addEndpoints(kit, [{ addresses: ADDRESSES, ports: PORTS }]);
      const [slice] = await untilSlices(kit, "the mirror", (slices) => slices.length === 1, "db");
      const name = slice.metadata!.name!;
      await kit.merge(ENDPOINTSLICES, name, { metadata: { annotations: { extra: "yes" } }, endpoints: [] });
      await untilMirrored(kit, 2);
      await tellSlices(kit);
      await kit.delete(ENDPOINTSLICES, name);
      await untilSlices(kit, "another one", (slices) => slices.length === 1 && slices[0].metadata?.name !== name, "db");
      await tellSlices(kit);
    },
  },
  {
    name: "mirror-of-strangers",
    async run(kit) {
      const service = await addService(kit, { name: "db", selector: undefined });
      await addSlice(kit, "mine", { service, labels: { [MANAGED_BY]: "somebody" } });
      await addSlice(kit, "old", { service, labels: { [MANAGED_BY]: MIRROR_MANAGER }, ports: PORTS });
      await addSlice(kit, "old-too", { service, labels: { [MANAGED_BY]: MIRROR_MANAGER }, ports: PORTS });
      // They mirror nothing.
      for (const name of ["old", "old-too"]) await kit.untilGone(ENDPOINTSLICES, name);
      await kit.create(ENDPOINTS, {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { name: "db" },
        subsets: [{ addresses: ADDRESSES, ports: PORTS }],
      });
      await untilMirrored(kit, 2, 0);
      await tellSlices(kit, { sizesOnly: true });
    },
  },
  {
    name: "mirror-too-many",
    async run(kit) {
      await addEndpoints(kit, [{
        addresses: many(995),
        notReadyAddresses: [{ ip: "10.9.0.1" }, ...many(1000).slice(990)],
        ports: PORTS,
      }]);
      await untilMirrored(kit, 1000);
      await kit.untilEvent("TooManyAddressesToMirror");
      await tellSlices(kit, { sizesOnly: true });
    },
  },
  {
    name: "mirror-senseless-addresses",
    async run(kit) {
      const endpoints = {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { name: "db" },
        subsets: [{ addresses: ADDRESSES, ports: PORTS }],
      };
      await addService(kit, { name: "db", selector: undefined });
      await kit.createUnchecked(ENDPOINTS, endpoints, ({ subsets }) => {
        subsets![0].addresses!.push({ ip: "nonsense" }, { ip: "010.7.0.9" }, { ip: "::ffff:10.7.0.8" });
      });
      await untilMirrored(kit, 4);
      await kit.untilEvent("InvalidIPAddress");
      await tellSlices(kit);
    },
  },
];
