/**
 * A tenant whose claims ask for what no volume can be, or say of themselves what is not so: another tenant's volume grows meanwhile,
 * and none shrinks.
 *
 * | attack                                             | what bounds it                                                        |
 * | -------------------------------------------------- | --------------------------------------------------------------------- |
 * | sizes that no machine holds                        | quantities are compared as they are, however large                    |
 * | hundreds of claims that grow again and again       | a claim is one key; a volume is written once for each size            |
 * | statuses that say what nobody has done             | what the volume has decides, not what the claim says                  |
 * | claims bound to a volume that names another        | both have to name each other                                          |
 */
import { assertEquals } from "@std/assert";
import { PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES } from "../../src/api/mod.ts";
import { withTestCluster } from "../../src/testkit/mod.ts";
import type { Kit } from "../scenarios/kit.ts";
import { askFor, growingClaim, growingClass } from "../scenarios/expansion_kit.ts";
import { findCluster } from "../scenarios/volume_kit.ts";
import { each } from "./each.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

/** In virtual time; alone it takes less than a second. */
const SOON_MS = 10_000;

function attack(what: string, begin: (kit: Kit) => Promise<void>, end: (kit: Kit) => Promise<void>): void {
  Deno.test(`A tenant with ${what} keeps nobody else's volume from growing`, () =>
    withTestCluster({ nodes: 0, flags: ["--controllers=persistentvolume-expander-controller"] }, async (cluster) => {
      const tenant = kitOf(cluster, await cluster.namespace("constructor"));
      const victim = kitOf(cluster, await cluster.namespace("shop"), { withinMs: SOON_MS });
      for (const kit of [tenant, victim]) await growingClass(kit);
      await begin(tenant);
      await growingClaim(victim, "c");
      await askFor(victim, "c", "2Gi");
      await isGrown(victim, "c", "2Gi");
      await end(tenant);
    }));
}

async function say(kit: Kit, name: string, status: object): Promise<void> {
  await kit.merge(PERSISTENTVOLUMECLAIMS, name, { status }, "status");
}

async function sizeOf(kit: Kit, name: string): Promise<string> {
  return String((await findCluster(kit, PERSISTENTVOLUMES, name))?.spec?.capacity?.storage);
}

async function isGrown(kit: Kit, name: string, storage: string): Promise<void> {
  await kit.untilAll(PERSISTENTVOLUMECLAIMS, `${name} has ${storage}`, async () => await sizeOf(kit, name) === storage);
}

const SIZES = ["9223372036854775807", "8E", "9223372036854775807E", "1073741825", "2147483648m"];

attack("sizes that no machine holds", async (kit) => {
  await each(SIZES.length, async (i) => {
    await growingClaim(kit, `c${i}`);
    await askFor(kit, `c${i}`, SIZES[i]).catch(() => {}); // what is less than there is, is refused
  });
}, async (kit) => {
  await isGrown(kit, "c1", "8E");
  await isGrown(kit, "c3", "1073741825");
  assertEquals(await sizeOf(kit, "c4"), "1Gi");
});

attack("hundreds of claims that grow again and again", async (kit) => {
  await each(100, (i) => growingClaim(kit, `c${i}`));
  await each(500, (i) => askFor(kit, `c${i % 100}`, `${2 + Math.floor(i / 100)}Gi`));
}, async (kit) => {
  await each(100, (i) => isGrown(kit, `c${i}`, "6Gi"));
});

attack("statuses that say what nobody has done", async (kit) => {
  const conditions = Array.from({ length: 500 }, (_, i) => ({ type: `T${i}`, status: "True" }));
  const statuses = [
    { conditions: [{ type: "Resizing", status: "True" }, { type: "FileSystemResizePending", status: "True" }] },
    { allocatedResources: { storage: "100Ti" }, allocatedResourceStatuses: { storage: "ControllerResizeInfeasible" } },
    { allocatedResourceStatuses: { storage: "NodeResizePending" } },
    { capacity: { storage: "100Ti" } },
    { conditions },
  ];
  await each(statuses.length, async (i) => {
    await growingClaim(kit, `c${i}`);
    await say(kit, `c${i}`, statuses[i]);
    await askFor(kit, `c${i}`, "2Gi");
  });
}, async (kit) => {
  for (const name of ["c0", "c4"]) await isGrown(kit, name, "2Gi");
  const { items } = await kit.client.list(PERSISTENTVOLUMES);
  assertEquals(items.filter(({ spec }) => spec?.capacity?.storage === "100Ti"), []);
});

attack("claims bound to a volume that names another", async (kit) => {
  await each(50, async (i) => {
    await growingClaim(kit, `c${i}`, { uid: "00000000-0000-0000-0000-000000000000" });
    await askFor(kit, `c${i}`, "2Gi");
  });
}, async (kit) => {
  await each(50, async (i) => assertEquals(await sizeOf(kit, `c${i}`), "1Gi"));
});
