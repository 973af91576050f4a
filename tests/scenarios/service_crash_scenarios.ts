/** What is done to Endpoints, ServiceCIDRs and nodes while their controllers' process is killed. */
import { CONFIGMAPS, ENDPOINTS, NODES, PODS, SERVICES } from "../../src/api/mod.ts";
import type { CrashScenario } from "./crash_scenarios.ts";
import {
  createServedPod,
  createService,
  removeServedPod,
  sayOfPod,
  untilEndpoints,
  untilMadeAnew,
} from "./endpoints_kit.ts";
import type { Kit } from "./kit.ts";
import {
  createAddress,
  createCidr,
  deleteAddress,
  deleteCidr,
  untilCidrsAreGone,
  untilCidrSays,
  untilDefaultIsReady,
} from "./service_cidr_kit.ts";

const TTL = "node.alpha.kubernetes.io/ttl";

async function untilNodeSays(kit: Kit, seconds: string): Promise<void> {
  await kit.until(NODES, "node-0", `says ${seconds}`, ({ metadata }) => metadata?.annotations?.[TTL] === seconds);
}

export const SERVICE_CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "endpoints",
    controllers: ["endpoints-controller"],
    resources: [ENDPOINTS],
    run: async (kit) => {
      await createService(kit, {}, { labels: { x: "1" } });
      await createService(kit, { clusterIP: "None" }, { name: "t" });
      await createServedPod(kit, "x", { ips: ["10.1.0.1"] });
      await untilEndpoints(kit, ["10.1.0.1 :80/TCP:http"]);
      await createServedPod(kit, "y", { ips: ["10.1.0.2"], ready: false });
      await untilEndpoints(kit, ["10.1.0.1 !10.1.0.2 :80/TCP:http"]);
      await sayOfPod(kit, "y", { ready: true, since: 3 });
      await kit.merge(SERVICES, "s", { metadata: { labels: { x: "2" } } });
      const both = await untilEndpoints(kit, ["10.1.0.1 10.1.0.2 :80/TCP:http"], {
        also: ({ metadata }) => metadata?.labels?.x === "2",
      });
      await kit.delete(ENDPOINTS, "s");
      await kit.delete(SERVICES, "t");
      await kit.merge(PODS, "x", { metadata: { labels: { app: "b" } } });
      await kit.untilGone(ENDPOINTS, "t");
      await untilMadeAnew(kit, both);
      await untilEndpoints(kit, ["10.1.0.2 :80/TCP:http"]);
      await removeServedPod(kit, "y");
      await untilEndpoints(kit, []);
    },
  },
  {
    name: "service-cidrs",
    controllers: ["service-cidr-controller"],
    resources: [CONFIGMAPS],
    run: async (kit) => {
      await untilDefaultIsReady(kit);
      await createCidr(kit, "a", ["10.130.0.0/24"]);
      await untilCidrSays(kit, "a", "True", "ready");
      await createAddress(kit, "10.130.0.7");
      await deleteCidr(kit, "a");
      await untilCidrSays(kit, "a", "False", "blocked");
      await deleteAddress(kit, "10.130.0.7");
      await untilCidrsAreGone(kit, "a");
    },
  },
  {
    name: "ttl",
    controllers: ["ttl-controller"],
    resources: [],
    run: async (kit) => {
      await untilNodeSays(kit, "0");
      for (const value of ["60", null]) {
        const body = { metadata: { annotations: { [TTL]: value } } };
        await kit.client.patch(NODES, { name: "node-0" }, { type: "merge", body });
        await untilNodeSays(kit, "0");
      }
    },
  },
];
