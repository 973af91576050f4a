/**
 * A tenant whose pods name more claims, and stranger ones, than anybody needs: another tenant's claims are made, kept and let go
 * meanwhile.
 *
 * | attack                                                        | what bounds it                                                  |
 * | ------------------------------------------------------------- | --------------------------------------------------------------- |
 * | a pod with thousands of claims of devices                     | a pod is one key, its status is looked through once             |
 * | a pod with hundreds of ephemeral volumes                      | a pod is one key; there are other workers                       |
 * | thousands of pods with one claim, and claims that only seem used | an index by claim; one list, in pages, for a namespace's batch |
 * | names of claims that no object can have                       | what cannot exist is not looked for                             |
 * | finalizers of others by the hundred                           | one is removed, the others keep their order                     |
 * | reservations for pods that never were                         | the server admits 256; each is asked for once                   |
 */
import { assertEquals } from "@std/assert";
import {
  type KubeObject,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  type Pod,
  PODS,
  type Resource,
  RESOURCECLAIMS,
  RESOURCECLAIMTEMPLATES,
} from "../../src/api/mod.ts";
import { withTestCluster } from "../../src/testkit/mod.ts";
import type { Kit } from "../scenarios/kit.ts";
import {
  claimsAreNamed,
  createTemplate,
  deviceClaim,
  devicePod,
  fromTemplate,
} from "../scenarios/resourceclaim_kit.ts";
import {
  CLAIM_SPEC,
  deleteClaims,
  idlePod,
  podWithClaims,
  removeAtOnce,
  storageClaim,
} from "../scenarios/volume_kit.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const TENANT = "constructor";
const VICTIM = "shop";
/** In virtual time; alone it takes less than a second. */
const SOON_MS = 10_000;

/** Lets the tenant attack, and asks for claims of each kind somewhere else. */
function attack(
  what: string,
  begin: (kit: Kit) => Promise<void>,
  end: (kit: Kit) => Promise<void> = () => Promise.resolve(),
): void {
  Deno.test(`A tenant with ${what} keeps nobody else's claims waiting`, () =>
    withTestCluster({ nodes: 0 }, async (cluster) => {
      const tenant = kitOf(cluster, await cluster.namespace(TENANT));
      const victim = kitOf(cluster, await cluster.namespace(VICTIM), { withinMs: SOON_MS });
      await begin(tenant);
      await createTemplate(victim, "t");
      const volumes = [{ name: "v", ephemeral: { volumeClaimTemplate: { spec: CLAIM_SPEC } } }];
      await victim.create(PODS, devicePod("p", [fromTemplate("x")], { spec: { volumes } }));
      await claimsAreNamed(victim, "p");
      await victim.until(PERSISTENTVOLUMECLAIMS, "p-v", "is there", () => true);
      await victim.create(PERSISTENTVOLUMECLAIMS, storageClaim("a"));
      await deleteClaims(victim, ["a"]);
      await end(tenant);
    }));
}

const count = (kit: Kit, resource: Resource<KubeObject>, wanted: number) =>
  kit.untilAll(resource, `there are ${wanted}`, (found) => found.length === wanted);

attack("a pod that asks for thousands of devices", async (kit) => {
  await createTemplate(kit, "t");
  const claims = Array.from({ length: 2_000 }, (_, i) => fromTemplate(`c${i}`));
  await kit.create(PODS, devicePod("p", claims));
}, async (kit) => {
  await count(kit, RESOURCECLAIMS, 2_000);
  await kit.until(PODS, "p", "has all names", ({ status }) => status?.resourceClaimStatuses?.length === 2_000);
  await kit.delete(PODS, "p");
  await count(kit, RESOURCECLAIMS, 0);
});

attack("a pod of hundreds of ephemeral volumes", async (kit) => {
  const ephemeral = { volumeClaimTemplate: { spec: CLAIM_SPEC } };
  const volumes = Array.from({ length: 800 }, (_, i) => ({ name: `v${i}`, ephemeral }));
  await kit.create(PODS, idlePod("p", { isScheduled: false, spec: { volumes } }));
}, async (kit) => {
  await count(kit, PERSISTENTVOLUMECLAIMS, 800);
  await kit.delete(PODS, "p");
  await count(kit, PERSISTENTVOLUMECLAIMS, 0);
});

attack("five thousand pods that share a claim", async (kit) => {
  await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim("shared"));
  await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim("unused"));
  for (let i = 0; i < 5_000; i++) {
    await kit.create(PODS, podWithClaims(`p${i}`, ["shared", "unused"], { isScheduled: i === 0 }));
  }
  await kit.delete(PERSISTENTVOLUMECLAIMS, "shared");
}, async (kit) => {
  await kit.until(PERSISTENTVOLUMECLAIMS, "shared", "stays", ({ metadata }) => metadata?.deletionTimestamp);
  await removeAtOnce(kit, "p0");
  await kit.untilGone(PERSISTENTVOLUMECLAIMS, "shared");
  await deleteClaims(kit, ["unused"]);
});

const ODD = ["x/y", "../z", "a/b/c", "__proto__", "constructor", "toString", "UPPER", "ü", " ", "*", "c".repeat(5_000)];

attack("names of claims that nothing can have", async (kit) => {
  for (const isScheduled of [true, false]) {
    await kit.create(PODS, podWithClaims(`odd-${isScheduled}`, [...ODD, "real"], { isScheduled }));
  }
  const ephemeral = { volumeClaimTemplate: { spec: CLAIM_SPEC } };
  const volumes = ["constructor", "tostring"].map((name) => ({ name, ephemeral }));
  await kit.create(PODS, idlePod("constructor", { isScheduled: false, spec: { volumes } }));
  await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim("real"));
  await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim("constructor"));
  for (const name of ["real", "constructor"]) await kit.delete(PERSISTENTVOLUMECLAIMS, name);
}, async (kit) => {
  await count(kit, PERSISTENTVOLUMECLAIMS, 4);
  await removeAtOnce(kit, "odd-true");
  await count(kit, PERSISTENTVOLUMECLAIMS, 2);
});

attack("claims that hundreds of others keep", async (kit) => {
  const others = Array.from({ length: 500 }, (_, i) => `example.com/f${i}`);
  const ours = "kubernetes.io/pvc-protection";
  for (const name of ["a", "b", "c"]) {
    await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim(name, { finalizers: [...others, ours] }));
    await kit.delete(PERSISTENTVOLUMECLAIMS, name);
  }
}, async (kit) => {
  const isLetGo = ({ metadata }: PersistentVolumeClaim) => metadata?.finalizers?.length === 500;
  const { metadata } = await kit.until(PERSISTENTVOLUMECLAIMS, "c", "has only the others", isLetGo);
  assertEquals([metadata?.finalizers?.at(0), metadata?.finalizers?.at(-1)], ["example.com/f0", "example.com/f499"]);
});

attack("reservations for pods that never were", async (kit) => {
  const reservedFor = Array.from({ length: 256 }, (_, i) => ({ resource: "pods", name: `never${i}`, uid: `u${i}` }));
  const allocation = { devices: { results: [{ request: "r", driver: "gpu.example.com", pool: "p", device: "d" }] } };
  for (const name of ["a", "b"]) {
    await kit.create(RESOURCECLAIMS, deviceClaim(name));
    await kit.merge(RESOURCECLAIMS, name, { status: { allocation, reservedFor } }, "status");
  }
  await kit.create(RESOURCECLAIMTEMPLATES, {
    metadata: { name: "constructor" },
    spec: { spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "constructor" } }] } } },
  });
  await kit.create<Pod>(PODS, devicePod("constructor", [fromTemplate("constructor", "constructor")]));
}, async (kit) => {
  const isFree = ({ status }: { status?: { reservedFor?: unknown[] } }) => !status?.reservedFor?.length;
  for (const name of ["a", "b"]) await kit.until(RESOURCECLAIMS, name, "is reserved for nobody", isFree);
  await claimsAreNamed(kit, "constructor");
});
