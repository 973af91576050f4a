/**
 * A tenant who asks for volumes in ways that nobody needs, and an owner of volumes who writes into them what no controller would:
 * another tenant's claim is bound meanwhile, and nobody's volume is deleted or given to two.
 *
 * | attack                                                     | what bounds it                                                    |
 * | ---------------------------------------------------------- | ----------------------------------------------------------------- |
 * | a thousand volumes of one class, and claims too large       | free volumes lie in order of size; those too small are not looked at |
 * | selectors of hundreds of requirements that nothing meets   | others have their turn between two volumes                        |
 * | hundreds of claims that name one volume                    | a claim is one key; the first has it                              |
 * | volumes and claims that name each other in a circle        | what does not fit is said once, and not tried again by itself     |
 * | sizes that no machine holds                                | quantities are compared as they are, however large                |
 * | claims torn away from their volumes                        | a retained volume is released, and nobody's from then on          |
 */
import { assertEquals } from "@std/assert";
import { type PersistentVolume, PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES } from "../../src/api/mod.ts";
import { withTestCluster } from "../../src/testkit/mod.ts";
import {
  areBound,
  claimIs,
  lookedAt,
  makeClaim,
  makeVolume,
  ownClass,
  refTo,
  removeClaim,
  volumeIs,
} from "../scenarios/binding_kit.ts";
import type { Kit } from "../scenarios/kit.ts";
import { clusterName } from "../scenarios/volume_kit.ts";
import { each } from "./each.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

/** In virtual time; alone it takes less than a second. */
const SOON_MS = 10_000;

/** Lets the tenant attack, has a claim of somebody else bound, and looks at what has become of the tenant's. */
function attack(
  what: string,
  begin: (kit: Kit) => Promise<void>,
  end: (kit: Kit) => Promise<void> = () => Promise.resolve(),
): void {
  Deno.test(`A tenant with ${what} keeps nobody else from a volume`, () =>
    withTestCluster({ nodes: 0 }, async (cluster) => {
      const tenant = kitOf(cluster, await cluster.namespace("constructor"));
      const victim = kitOf(cluster, await cluster.namespace("shop"), { withinMs: SOON_MS });
      await begin(tenant);
      await makeVolume(victim, "v");
      await volumeIs(victim, "v", "Available"); // a claim that comes first waits for the next time that all are looked at
      await makeClaim(victim, "c");
      await areBound(victim, "c", "v");
      await lookedAt(tenant);
      await end(tenant);
    }));
}

async function ownVolumes(kit: Kit): Promise<PersistentVolume[]> {
  const { items } = await kit.client.list(PERSISTENTVOLUMES);
  return items.filter(({ spec }) => spec?.storageClassName === ownClass(kit));
}

attack("a thousand volumes, and claims that are too large for them", async (kit) => {
  await each(1_000, (i) => makeVolume(kit, `v${i}`, { storage: `${i + 1}Mi` }));
  await each(100, (i) => makeClaim(kit, `c${i}`, { storage: "1Ti" }));
}, async (kit) => {
  await makeClaim(kit, "fits", { storage: "900Mi" });
  await areBound(kit, "fits", "v899");
  await claimIs(kit, "c99", "Pending");
});

attack("selectors of hundreds of requirements that nothing meets", async (kit) => {
  const met = Array.from({ length: 500 }, (_, i) => ({ key: "no", operator: "NotIn", values: [`x${i}`] }));
  const selector = { matchExpressions: [...met, { key: "there", operator: "Exists" }] };
  await each(1_000, (i) => makeVolume(kit, `v${i}`, { metadata: { labels: { no: "y" } } }));
  await each(20, (i) => makeClaim(kit, `c${i}`, { selector }));
}, async (kit) => {
  await claimIs(kit, "c19", "Pending");
});

attack("hundreds of claims that name one volume", async (kit) => {
  await makeVolume(kit, "v");
  await each(300, (i) => makeClaim(kit, `c${i}`, { volumeName: clusterName(kit, "v") }));
}, async (kit) => {
  const claims = await kit.list(PERSISTENTVOLUMECLAIMS);
  const bound = claims.filter(({ metadata, status }) => metadata?.name?.startsWith("c") && status?.phase === "Bound");
  assertEquals(bound.map(({ spec }) => spec?.volumeName), [clusterName(kit, "v")]);
});

attack("volumes and claims that name each other in a circle", async (kit) => {
  const round = 50;
  await each(round, (i) => makeVolume(kit, `v${i}`, { claimRef: refTo(kit, `c${(i + 1) % round}`) }));
  await each(round, (i) => makeClaim(kit, `c${i}`, { volumeName: clusterName(kit, `v${i}`) }));
}, async (kit) => {
  await claimIs(kit, "c49", "Pending");
  const bound = (await ownVolumes(kit)).filter(({ status }) => status?.phase === "Bound");
  assertEquals(bound, []);
});

attack("sizes that no machine holds", async (kit) => {
  const sizes = ["1E", "9223372036854775807", "9223372036854775807E", "1e30", "1", "100m"];
  await each(sizes.length, (i) => makeVolume(kit, `v${i}`, { storage: sizes[i] }));
  await makeClaim(kit, "c", { storage: "9223372036854775806" });
}, async (kit) => {
  await areBound(kit, "c", "v1");
});

attack("claims that were torn away from their volumes", async (kit) => {
  await each(50, async (i) => {
    await makeVolume(kit, `v${i}`);
    await makeClaim(kit, `c${i}`);
  });
  await each(50, (i) => claimIs(kit, `c${i}`, "Bound"));
  await each(50, (i) => removeClaim(kit, `c${i}`));
  await each(50, (i) => makeClaim(kit, `c${i}`));
}, async (kit) => {
  await each(50, (i) => volumeIs(kit, `v${i}`, "Released"));
  await each(50, (i) => claimIs(kit, `c${i}`, "Pending"));
});
