/**
 * A tenant whose pods share volumes under labels as many, as long and as odd as the API server admits: another tenant's pods are warned
 * of their conflict meanwhile, and nobody hears of pods in other namespaces.
 *
 * | attack                                                | what bounds it                                                        |
 * | ----------------------------------------------------- | --------------------------------------------------------------------- |
 * | more than a hundred pods with a label each on one volume | a change is told to a hundred others; namespaces take turns |
 * | a pod with thousands of volumes, none of which is there | others have their turn between two of them; ten are named in the log |
 * | labels of tens of thousands of characters             | a label is split once, and compared by its parts                      |
 * | drivers that learn and forget labels again and again  | a driver is one key                                                   |
 */
import { assertEquals } from "@std/assert";
import { CSIDRIVERS, EVENTS, PODS } from "../../src/api/mod.ts";
import { withTestCluster } from "../../src/testkit/mod.ts";
import type { Kit } from "../scenarios/kit.ts";
import {
  areTold,
  createBound,
  createDriver,
  createSharer,
  level,
  ONE,
  OTHER,
  ownName,
} from "../scenarios/selinux_kit.ts";
import { each } from "./each.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

/** In virtual time; alone it takes less than a second. */
const SOON_MS = 10_000;
const LABEL = "SELinuxLabelConflict";

function attack(
  what: string,
  begin: (kit: Kit, victim: Kit) => Promise<void>,
  end = (_kit: Kit) => Promise.resolve(),
): void {
  Deno.test(`A tenant with ${what} keeps nobody else from being warned`, () =>
    withTestCluster({ nodes: 0, flags: ["--controllers=selinux-warning-controller"] }, async (cluster) => {
      const tenant = kitOf(cluster, await cluster.namespace("constructor"));
      const victim = kitOf(cluster, await cluster.namespace("shop"), { withinMs: SOON_MS });
      await begin(tenant, victim);
      await createDriver(victim, true);
      await createBound(victim, "data");
      await createSharer(victim, "p", { options: ONE });
      await createSharer(victim, "q", { options: OTHER });
      await areTold(victim, LABEL, "p", "q");
      await end(tenant);
      for (const { message } of await victim.list(EVENTS)) {
        assertEquals(message?.includes("constructor"), false, message);
      }
    }));
}

attack("more than a hundred pods that each label one volume differently", async (kit) => {
  await createDriver(kit, true);
  await createBound(kit, "data");
  await each(150, (i) => createSharer(kit, `p${i}`, { options: level(`s0:c${i}`) }));
}, (kit) => areTold(kit, LABEL, "p0"));

attack("a pod of thousands of volumes that are not there", async (kit) => {
  const volumes = Array.from({ length: 3_000 }, (_, i) => ({
    name: `v${i}`,
    persistentVolumeClaim: { claimName: `gone-${i}` },
  }));
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
  const containers = [{ name: "c", image: "nginx:1", volumeMounts }];
  await kit.create(PODS, { apiVersion: "v1", kind: "Pod", metadata: { name: "large" }, spec: { containers, volumes } });
});

attack("labels of tens of thousands of characters", async (kit) => {
  await createDriver(kit, true);
  await createBound(kit, "data");
  const long = Array.from({ length: 10_000 }, (_, i) => `c${i}`).join(",");
  const odd = [long, `${long},x`, ":".repeat(50_000), "s0:c1:c2:c3", "\u2028", "__proto__"];
  await each(odd.length, (i) => createSharer(kit, `p${i}`, { options: level(odd[i]) }));
}, (kit) => areTold(kit, LABEL, "p0", "p1"));

attack("drivers that learn and forget labels again and again", async (kit) => {
  await createDriver(kit, true);
  await createBound(kit, "data");
  await each(100, (i) => createSharer(kit, `p${i}`, { options: ONE }));
  await each(50, (i) =>
    kit.client.patch(CSIDRIVERS, { name: ownName(kit, "csi") }, {
      type: "merge",
      body: { spec: { seLinuxMount: i % 2 === 1 } },
    }));
});
