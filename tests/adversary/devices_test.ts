/**
 * A tenant whose devices, taints and groups are as many and as odd as the API server admits: another tenant's pods get their
 * claims, and are evicted from a tainted device, meanwhile.
 *
 * | attack                                               | what bounds it                                                   |
 * | ---------------------------------------------------- | ---------------------------------------------------------------- |
 * | a group of thousands of pods that share a claim      | the claim is reserved once, for the group; an index by group     |
 * | slices full of devices, all of them tainted          | devices are looked up by name, claims by device                  |
 * | rules by the dozen that match every device there is  | a rule is one key; only the claims of devices are gone through   |
 * | tolerations of absurd and of negative length         | what is too long never ends, what is over is over                |
 * | questions about pools that there are not             | each is answered once, with none                                 |
 */
import { assertEquals } from "@std/assert";
import {
  type DeviceTaint,
  DEVICETAINTRULES,
  findCondition,
  PODGROUPS,
  PODS,
  RESOURCECLAIMS,
  RESOURCEPOOLSTATUSREQUESTS,
} from "../../src/api/mod.ts";
import { withTestCluster } from "../../src/testkit/mod.ts";
import { BROKEN, createUser, DRIVER, isEvicted, offer, tolerated } from "../scenarios/device_taint_kit.ts";
import type { Kit } from "../scenarios/kit.ts";
import { allocate, claimsAreNamed, createTemplate, devicePod, fromTemplate } from "../scenarios/resourceclaim_kit.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const GATES = ["GenericWorkload", "DRAWorkloadResourceClaims", "DRADeviceTaintRules", "DRAResourcePoolStatus"];
const FLAGS = [`--feature-gates=${GATES.map((gate) => `${gate}=true`).join(",")}`];
const TENANT = "constructor";
const VICTIM = "shop";
/** In virtual time; alone it takes less than a second. */
const SOON_MS = 10_000;

/** Lets the tenant attack, and lets somebody else's pods get a claim and lose a device. */
function attack(what: string, begin: (kit: Kit) => Promise<void>, end: (kit: Kit) => Promise<void>): void {
  Deno.test(`A tenant with ${what} keeps nobody else's devices waiting`, () =>
    withTestCluster({ nodes: 0, flags: FLAGS }, async (cluster) => {
      const tenant = kitOf(cluster, await cluster.namespace(TENANT));
      const victim = kitOf(cluster, await cluster.namespace(VICTIM), { withinMs: SOON_MS });
      await begin(tenant);
      await createTemplate(victim, "t");
      await victim.create(PODS, devicePod("p", [fromTemplate("x")]));
      await claimsAreNamed(victim, "p");
      await offer(victim, { d: [BROKEN] });
      await createUser(victim, "q");
      await isEvicted(victim, "q");
      await end(tenant);
    }));
}

attack("a group of thousands of pods that share a claim", async (kit) => {
  await createTemplate(kit, "t");
  const claims = [fromTemplate("x")];
  const spec = { schedulingGroup: { podGroupName: "team" } };
  for (let i = 0; i < 3_000; i++) await kit.create(PODS, devicePod(`p${i}`, claims, { isScheduled: true, spec }));
  await kit.create(PODGROUPS, {
    metadata: { name: "team" },
    spec: { schedulingPolicy: { basic: {} }, resourceClaims: claims },
  });
}, async (kit) => {
  await kit.untilAll(
    PODS,
    "all know the claim",
    (pods) => pods.every(({ status }) => status?.resourceClaimStatuses?.length === 1),
  );
  const [{ metadata }, ...others] = await kit.list(RESOURCECLAIMS);
  assertEquals(others, []);
  await allocate(kit, metadata!.name!);
  const { status } = await kit.until(
    RESOURCECLAIMS,
    metadata!.name!,
    "is reserved",
    ({ status }) => status?.reservedFor?.length,
  );
  assertEquals(status?.reservedFor?.map(({ resource, name }) => [resource, name]), [["podgroups", "team"]]);
});

const TAINTS: readonly DeviceTaint[] = Array.from({ length: 4 }, (_, i) => ({ ...BROKEN, key: `example.com/t${i}` }));

attack("slices full of tainted devices", async (kit) => {
  const devices = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`d${i}`, TAINTS]));
  for (let i = 0; i < 200; i++) await offer(kit, devices, { name: `s${i}`, pool: `pool-${i}` });
  await offer(kit, { d: [BROKEN] }, { name: "own" });
  await createUser(kit, "p");
}, (kit) => isEvicted(kit, "p"));

attack("rules that match every device", async (kit) => {
  for (let i = 0; i < 50; i++) await createUser(kit, `p${i}`, { tolerations: [tolerated()] });
  for (let i = 0; i < 60; i++) {
    const taint = { key: i === 0 ? "example.com/all" : BROKEN.key, effect: "NoExecute" };
    await kit.client.create(DEVICETAINTRULES, { metadata: { name: `rule-${i}` }, spec: { deviceSelector: {}, taint } });
  }
}, (kit) => isEvicted(kit, "p49"));

attack("tolerations of absurd length", async (kit) => {
  await offer(kit, { d: [BROKEN] });
  const seconds = { past: -1, least: -Number.MAX_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER, years: 9_223_372_037 };
  for (const [name, length] of Object.entries(seconds)) {
    await createUser(kit, name, { tolerations: [tolerated(length)] });
  }
}, async (kit) => {
  for (const name of ["past", "least"]) await isEvicted(kit, name);
  for (const name of ["most", "years"]) {
    assertEquals((await kit.get(PODS, name)).metadata?.deletionTimestamp, undefined);
  }
});

attack("questions about pools that there are not", async (kit) => {
  const pools = [undefined, "proto", "p".repeat(253), Array(3).fill("p".repeat(63)).join("/")];
  for (let i = 0; i < 400; i++) {
    await kit.client.create(RESOURCEPOOLSTATUSREQUESTS, {
      metadata: { name: i === 0 ? "n".repeat(253) : `constructor-${i}` },
      spec: { driver: i % 2 ? DRIVER : "constructor", poolName: pools[i % pools.length] },
    });
  }
}, async (kit) => {
  await kit.untilAll(
    RESOURCEPOOLSTATUSREQUESTS,
    "are answered",
    (requests) =>
      requests.length === 400 && requests.every(({ status }) => findCondition(status?.conditions, "Complete")),
  );
});
