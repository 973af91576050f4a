/** What is answered to those who ask how many devices are left, where the gate `DRAResourcePoolStatus` is on. */
import {
  CONFIGMAPS,
  findCondition,
  RESOURCECLAIMS,
  type ResourcePoolStatusRequest,
  RESOURCEPOOLSTATUSREQUESTS,
} from "../../src/api/mod.ts";
import { giveDevice, offer, ownName } from "./device_taint_kit.ts";
import type { Kit } from "./kit.ts";
import { deviceClaim } from "./resourceclaim_kit.ts";
import type { Scenario } from "./scenario.ts";

/** The driver of all scenarios but those that tell drivers apart. */
const DRIVER = "gpu.example.com";

type Asked = Partial<ResourcePoolStatusRequest["spec"]>;

/** Asks, by default for the scenario's own pool. */
async function ask(kit: Kit, name: string, asked: Asked = {}): Promise<void> {
  await kit.client.create(RESOURCEPOOLSTATUSREQUESTS, {
    metadata: { name: ownName(kit, name) },
    spec: { driver: DRIVER, poolName: kit.namespace, ...asked },
  });
}

/** Writes down what is answered, and who answers. */
async function note(kit: Kit, name: string): Promise<void> {
  const request = await kit.until(
    RESOURCEPOOLSTATUSREQUESTS,
    ownName(kit, name),
    "is answered",
    ({ status }) => findCondition(status?.conditions, "Complete"),
  );
  const { poolCount, pools, conditions } = request.status!;
  const managers = request.metadata.managedFields?.filter(({ subresource }) => subresource === "status")
    .map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fieldsV1 }));
  const said = conditions?.map(({ lastTransitionTime: _, ...condition }) => condition);
  const data = {
    poolCount: String(poolCount),
    pools: JSON.stringify(pools),
    conditions: JSON.stringify(said),
    managers: JSON.stringify(managers),
  };
  await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `answer.${name}` }, data });
}

const DEVICES = { a: [], b: [], c: [], d: [] };

export const POOL_STATUS_SCENARIOS: readonly Scenario[] = [
  {
    name: "rps-all-devices-are-free",
    run: async (kit) => {
      await offer(kit, DEVICES);
      await ask(kit, "a");
      await note(kit, "a");
    },
  },
  {
    name: "rps-some-devices-are-taken",
    run: async (kit) => {
      await offer(kit, DEVICES);
      for (const device of ["a", "b"]) {
        await kit.create(RESOURCECLAIMS, deviceClaim(device));
        await giveDevice(kit, device, { device });
      }
      await ask(kit, "a");
      await note(kit, "a");
    },
  },
  {
    name: "rps-more-taken-than-there-are",
    run: async (kit) => {
      await offer(kit, { a: [] });
      for (const device of ["a", "b", "c"]) {
        await kit.create(RESOURCECLAIMS, deviceClaim(device));
        await giveDevice(kit, device, { device });
      }
      await ask(kit, "a");
      await note(kit, "a");
    },
  },
  {
    name: "rps-of-another-driver",
    run: async (kit) => {
      await offer(kit, DEVICES);
      await ask(kit, "a", { driver: "other.example.com" });
      await note(kit, "a");
    },
  },
  {
    name: "rps-in-two-slices-of-one-node",
    run: async (kit) => {
      for (const name of ["x", "y"]) await offer(kit, { [name]: [] }, { name, sliceCount: 2, nodeName: "node-1" });
      await ask(kit, "a");
      await note(kit, "a");
    },
  },
  {
    name: "rps-in-two-slices-of-two-nodes",
    run: async (kit) => {
      for (const name of ["x", "y"]) await offer(kit, { [name]: [] }, { name, sliceCount: 2, nodeName: `node${name}` });
      await ask(kit, "a");
      await note(kit, "a");
    },
  },
  {
    name: "rps-in-two-generations",
    run: async (kit) => {
      await offer(kit, DEVICES, { name: "old", generation: 1 });
      await offer(kit, { e: [] }, { name: "new", generation: 2 });
      await ask(kit, "a");
      await note(kit, "a");
    },
  },
  {
    name: "rps-too-few-slices-at-first",
    run: async (kit) => {
      await offer(kit, { x: [] }, { name: "x", sliceCount: 2 });
      await ask(kit, "a");
      await offer(kit, { y: [] }, { name: "y", sliceCount: 2 });
      let touches = 0;
      await kit.until(RESOURCEPOOLSTATUSREQUESTS, ownName(kit, "a"), "is answered", async ({ status }) => {
        if (status) return true;
        const labels = { touches: String(++touches) };
        await kit.merge(RESOURCEPOOLSTATUSREQUESTS, ownName(kit, "a"), { metadata: { labels } });
        return false;
      });
      await note(kit, "a");
    },
  },
  {
    name: "rps-answered-once",
    run: async (kit) => {
      await offer(kit, { a: [] }, { name: "x" });
      await ask(kit, "a");
      await note(kit, "a");
      await offer(kit, DEVICES, { name: "y", generation: 2 });
      await kit.merge(RESOURCEPOOLSTATUSREQUESTS, ownName(kit, "a"), { metadata: { labels: { a: "b" } } });
      await ask(kit, "b");
      await note(kit, "b");
      const { status } = await kit.get(RESOURCEPOOLSTATUSREQUESTS, ownName(kit, "a"));
      const metadata = { name: "still" };
      await kit.create(CONFIGMAPS, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata,
        data: { pools: JSON.stringify(status?.pools) },
      });
    },
  },
  {
    name: "rps-no-pool",
    run: async (kit) => {
      await ask(kit, "a", { poolName: "there.is.none" });
      await note(kit, "a");
    },
  },
];
