/** What devices pods get under upstream's manager and under ours, on a real API server. */
import { assertEquals } from "@std/assert";
import { objectKey, PODS, RESOURCECLAIMS } from "../../src/api/mod.ts";
import { dropLease, FIRST_SIX, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import type { Kit } from "../scenarios/kit.ts";
import {
  allocate,
  byName,
  claimsAreNamed,
  createTemplate,
  deviceClaim,
  devicePod,
  fromTemplate,
  isFree,
  reservedFor,
} from "../scenarios/resourceclaim_kit.ts";
import { RESOURCECLAIM_SCENARIOS } from "../scenarios/resourceclaim_scenarios.ts";
import { endPod } from "../scenarios/volume_kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const CONTROLLER = "resourceclaim-controller";

parityTest("Claims of devices are made and freed under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "resourceclaims",
    scenarios: RESOURCECLAIM_SCENARIOS,
    controllers: [CONTROLLER],
    resources: [RESOURCECLAIMS],
  });
});

clusterTest(
  "A manager that takes over leaves claims of devices alone as the other has left them, and goes on",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const turns: readonly ManagerKind[] = ["upstream", "kubeloop", "upstream", "kubeloop"];
    let before: ReadonlyMap<string, string> = new Map();
    let earlier: Kit | undefined;
    for (const [turn, kind] of turns.entries()) {
      const manager = await startManager(cluster.plane, kind, { flags: [`--controllers=${[FIRST_SIX, CONTROLLER]}`] });
      const kit = await cluster.namespace(`devices-${turn}`);
      await createTemplate(kit, "t");
      await kit.create(RESOURCECLAIMS, deviceClaim("a"));
      const claims = [fromTemplate("x"), fromTemplate("y"), byName("a")];
      await kit.create(PODS, devicePod("p", claims, { isScheduled: true }));
      const names = await claimsAreNamed(kit, "p", 2);
      for (const name of [...Object.values(names), "a"]) {
        await allocate(kit, name);
        await reservedFor(kit, name, 1);
      }
      const versions = await settledVersions(cluster);
      for (const [key, version] of before) assertEquals(versions.get(key), version, `${kind} wrote ${key}`);
      if (earlier) {
        await endPod(earlier, "p");
        await earlier.untilAll(RESOURCECLAIMS, "the user's is left", (claims) => claims.length === 1);
        await isFree(earlier, "a");
      }
      before = new Map([...versions].filter(([key]) => key.startsWith(`${kit.namespace}/`)));
      earlier = kit;
      await manager.process.stop();
      await dropLease(cluster.plane);
    }
  },
);

/** The versions of all claims and pods, once none was written for three seconds. */
async function settledVersions(cluster: Cluster): Promise<ReadonlyMap<string, string>> {
  let last = "";
  let same = 0;
  return await eventually("neither claim nor pod was written for 3 s", async () => {
    const lists = await Promise.all([RESOURCECLAIMS, PODS].map((each) => cluster.client.listMetadata(each, {})));
    const items = lists.flatMap((list) => list.items);
    const versions = items.map((item) => [objectKey(item), item.metadata!.resourceVersion!] as const);
    same = String(versions) === last ? same + 1 : 0;
    last = String(versions);
    return same === 3 && new Map(versions);
  }, { everyMs: 1_000 });
}

clusterTest("Claims of devices are made by a thread of its own with the rights of its own account", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const flags = [
    `--controllers=${[FIRST_SIX, CONTROLLER]}`,
    "--use-service-account-credentials",
    `--controller-groups=devices=${CONTROLLER}`,
  ];
  const manager = await startManager(cluster.plane, "kubeloop", { flags });
  const chosen = ["rc-from-a-template", "rc-template-comes-late", "rc-of-a-pod-that-ends", "rc-deleted-with-a-device"];
  const others = ["rc-reserved-for-a-pod-past-the-scheduler", "rc-reserved-for-a-pod-that-never-was"];
  for (const { name, run } of RESOURCECLAIM_SCENARIOS) {
    if ([...chosen, ...others].includes(name)) await run(await cluster.namespace(name));
  }
  await manager.process.stop();
});

clusterTest(
  "A claim from a template that somebody deletes is made again, and the pod's other claims keep their names",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const manager = await startManager(cluster.plane, "kubeloop", {
      flags: [`--controllers=${[FIRST_SIX, CONTROLLER]}`],
    });
    const kit = await cluster.namespace("again");
    await createTemplate(kit, "t");
    await kit.create(PODS, devicePod("p", [fromTemplate("x"), fromTemplate("y")]));
    const { x, y } = await claimsAreNamed(kit, "p", 2);
    await kit.delete(RESOURCECLAIMS, x);
    await kit.until(
      PODS,
      "p",
      "has another claim",
      ({ status }) => status?.resourceClaimStatuses?.every(({ resourceClaimName }) => resourceClaimName !== x),
    );
    assertEquals((await claimsAreNamed(kit, "p", 2)).y, y);
    await manager.process.stop();
  },
);
