/** What is done to Services and Endpoints while the manager that writes their slices is killed. */
import { ENDPOINTS, SERVICES } from "../../src/api/mod.ts";
import type { CrashScenario } from "./crash_scenarios.ts";
import {
  addEndpoints,
  addPods,
  addService,
  addSlice,
  ensureNodes,
  removePod,
  setPod,
  sizesOf,
  tellSlices,
  untilEndpoints,
  untilSizes,
  untilSlices,
} from "./slice_kit.ts";

const SQL = [{ name: "sql", port: 5432, protocol: "TCP" }];

export const SLICE_CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "service",
    controllers: ["endpointslice-controller"],
    resources: [],
    run: async (kit) => {
      await ensureNodes(kit);
      const service = await addService(kit);
      await untilEndpoints(kit, 0);
      await addPods(kit, 3);
      await untilEndpoints(kit, 3);
      await setPod(kit, "p1", { ip: "10.20.0.1", ready: false });
      await untilEndpoints(kit, 3, 2);
      await kit.merge(SERVICES, "web", { spec: { ports: [{ port: 80, targetPort: 81 }] } });
      await untilSlices(kit, "the other port", ([slice]) => slice?.ports?.[0]?.port === 81);
      await addSlice(kit, "strange", { service, addressType: "IPv6", endpoints: [{ addresses: ["fd00::1"] }] });
      await untilSizes(kit, [3]);
      await removePod(kit, "p0");
      await untilEndpoints(kit, 2, 1);
      for (const name of ["p1", "p2"]) await removePod(kit, name);
      await untilEndpoints(kit, 0);
      await tellSlices(kit);
    },
  },
  {
    name: "mirrored-endpoints",
    controllers: ["endpointslice-mirroring-controller"],
    resources: [],
    run: async (kit) => {
      const subsets = [{ addresses: [{ ip: "10.7.0.1" }, { ip: "fd00::1" }], ports: SQL }];
      const untilMirrored = (...sizes: number[]) =>
        untilSlices(kit, `mirrors of ${sizes}`, (slices) => sizesOf(slices).join() === sizes.join(), "db");
      await addEndpoints(kit, subsets);
      await untilMirrored(1, 1);
      await kit.merge(ENDPOINTS, "db", {
        subsets: [{ addresses: [{ ip: "10.7.0.1" }, { ip: "10.7.0.2" }], ports: SQL }],
      });
      await untilMirrored(2);
      await tellSlices(kit);
      await kit.delete(ENDPOINTS, "db");
      await untilMirrored();
    },
  },
];
