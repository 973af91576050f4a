/** What devices pods get under upstream's manager and under ours, on a real API server. */
import { assertEquals } from "@std/assert";
import { PODS, RESOURCECLAIMS } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager, WITHOUT_POD_COLLECTION } from "../controlplane/manager.ts";
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
import { settledVersions } from "./settled_versions.ts";

const CONTROLLER = "resourceclaim-controller";

parityTest("Claims of devices are made and freed under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "resourceclaims",
    scenarios: RESOURCECLAIM_SCENARIOS,
    flags: [WITHOUT_POD_COLLECTION],
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
      const manager = await startManager(cluster.plane, kind, { flags: [WITHOUT_POD_COLLECTION] });
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
      const versions = await settledVersions(cluster, RESOURCECLAIMS, PODS);
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

clusterTest("Claims of devices are made by a thread of its own with the rights of its own account", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const flags = [
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
    const manager = await startManager(cluster.plane, "kubeloop");
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
