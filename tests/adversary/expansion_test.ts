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
import { PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES, STORAGECLASSES } from "../../src/api/mod.ts";
import { withTestCluster } from "../../src/testkit/mod.ts";
import { Kit } from "../scenarios/kit.ts";
import { clusterName, findCluster, storageClaim, storageVolume } from "../scenarios/volume_kit.ts";

/** In virtual time; alone it takes less than a second. */
const SOON_MS = 10_000;

function attack(what: string, begin: (kit: Kit) => Promise<void>, end: (kit: Kit) => Promise<void>): void {
  Deno.test(`A tenant with ${what} keeps nobody else's volume from growing`, () =>
    withTestCluster({ nodes: 0, flags: ["--controllers=persistentvolume-expander-controller"] }, async (cluster) => {
      const kitOf = async (name: string, withinMs?: number) =>
        new Kit({
          client: cluster.client,
          namespace: await cluster.namespace(name),
          eventually: (what, condition) => cluster.eventually(what, condition, { withinMs }),
        });
      const [tenant, victim] = [await kitOf("constructor"), await kitOf("shop", SOON_MS)];
      for (const kit of [tenant, victim]) await growingClass(kit);
      await begin(tenant);
      await boundClaim(victim, "c");
      await ask(victim, "c", "2Gi");
      await isGrown(victim, "c", "2Gi");
      await end(tenant);
    }));
}

async function growingClass(kit: Kit): Promise<void> {
  await kit.create(STORAGECLASSES, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: clusterName(kit, "grows") },
    provisioner: "example.com/nobody",
    allowVolumeExpansion: true,
  });
}

/** A claim and its volume, of a FlexVolume driver: the manager makes it larger itself. */
async function boundClaim(kit: Kit, name: string, { uid }: { readonly uid?: string } = {}): Promise<void> {
  const storageClassName = clusterName(kit, "grows");
  const claim = storageClaim(name);
  const { metadata } = await kit.create(PERSISTENTVOLUMECLAIMS, {
    ...claim,
    spec: { ...claim.spec, storageClassName, volumeName: clusterName(kit, name) },
  });
  const claimRef = { namespace: kit.namespace, name, uid: uid ?? metadata?.uid };
  const flexVolume = { driver: "example.com/flex" };
  await kit.create(
    PERSISTENTVOLUMES,
    storageVolume(kit, name, { storageClassName, csi: undefined, flexVolume, claimRef }),
  );
  await say(kit, name, { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } });
}

async function say(kit: Kit, name: string, status: object): Promise<void> {
  await kit.merge(PERSISTENTVOLUMECLAIMS, name, { status }, "status");
}

async function ask(kit: Kit, name: string, storage: string): Promise<void> {
  await kit.merge(PERSISTENTVOLUMECLAIMS, name, { spec: { resources: { requests: { storage } } } });
}

async function sizeOf(kit: Kit, name: string): Promise<string> {
  return String((await findCluster(kit, PERSISTENTVOLUMES, name))?.spec?.capacity?.storage);
}

async function isGrown(kit: Kit, name: string, storage: string): Promise<void> {
  await kit.untilAll(PERSISTENTVOLUMECLAIMS, `${name} has ${storage}`, async () => await sizeOf(kit, name) === storage);
}

const each = async (count: number, make: (i: number) => Promise<unknown>) => {
  for (let i = 0; i < count; i++) await make(i);
};

const SIZES = ["9223372036854775807", "8E", "9223372036854775807E", "1073741825", "2147483648m"];

attack("sizes that no machine holds", async (kit) => {
  await each(SIZES.length, async (i) => {
    await boundClaim(kit, `c${i}`);
    await ask(kit, `c${i}`, SIZES[i]).catch(() => {}); // what is less than there is, is refused
  });
}, async (kit) => {
  await isGrown(kit, "c1", "8E");
  await isGrown(kit, "c3", "1073741825");
  assertEquals(await sizeOf(kit, "c4"), "1Gi");
});

attack("hundreds of claims that grow again and again", async (kit) => {
  await each(100, (i) => boundClaim(kit, `c${i}`));
  await each(500, (i) => ask(kit, `c${i % 100}`, `${2 + Math.floor(i / 100)}Gi`));
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
    await boundClaim(kit, `c${i}`);
    await say(kit, `c${i}`, statuses[i]);
    await ask(kit, `c${i}`, "2Gi");
  });
}, async (kit) => {
  for (const name of ["c0", "c4"]) await isGrown(kit, name, "2Gi");
  const { items } = await kit.client.list(PERSISTENTVOLUMES);
  assertEquals(items.filter(({ spec }) => spec?.capacity?.storage === "100Ti"), []);
});

attack("claims bound to a volume that names another", async (kit) => {
  await each(50, async (i) => {
    await boundClaim(kit, `c${i}`, { uid: "00000000-0000-0000-0000-000000000000" });
    await ask(kit, `c${i}`, "2Gi");
  });
}, async (kit) => {
  await each(50, async (i) => assertEquals(await sizeOf(kit, `c${i}`), "1Gi"));
});
