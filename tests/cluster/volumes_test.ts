/** Claims, volumes and their classes under upstream's manager and under ours, on a real API server. */
import { assertEquals } from "@std/assert";
import { findCondition, type PersistentVolumeClaim, PERSISTENTVOLUMECLAIMS, PODS } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager, WITHOUT_POD_COLLECTION } from "../controlplane/manager.ts";
import { EPHEMERAL_SCENARIOS } from "../scenarios/ephemeral_scenarios.ts";
import type { Kit } from "../scenarios/kit.ts";
import {
  CLAIM_SPEC,
  claimsLookedAt,
  deleteClaims,
  idlePod,
  podWithClaims,
  removeAtOnce,
  storageClaim,
} from "../scenarios/volume_kit.ts";
import { VOLUME_PROTECTION_SCENARIOS } from "../scenarios/volume_protection_scenarios.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";
import { settledVersions } from "./settled_versions.ts";

const CONTROLLERS = [
  "persistentvolumeclaim-protection-controller",
  "persistentvolume-protection-controller",
  "volumeattributesclass-protection-controller",
  "ephemeral-volume-controller",
];

parityTest("Claims and volumes are kept and made under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "volumes",
    scenarios: [...VOLUME_PROTECTION_SCENARIOS, ...EPHEMERAL_SCENARIOS],
    // They say themselves in which phases volumes are.
    flags: ["--controllers=-persistentvolume-binder-controller", WITHOUT_POD_COLLECTION],
    resources: [PERSISTENTVOLUMECLAIMS],
  });
});

clusterTest("A manager that takes over leaves claims alone as the other has left them, and goes on", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const turns: readonly ManagerKind[] = ["upstream", "kubeloop", "upstream", "kubeloop"];
  let before: ReadonlyMap<string, string> = new Map();
  let earlier: Kit | undefined;
  for (const [turn, kind] of turns.entries()) {
    const manager = await startManager(cluster.plane, kind, { flags: [WITHOUT_POD_COLLECTION] });
    const kit = await cluster.namespace(`volumes-${turn}`);
    const ephemeral = { volumeClaimTemplate: { spec: CLAIM_SPEC } };
    await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim("a"));
    await kit.create(PODS, podWithClaims("p", ["a"]));
    await kit.create(PODS, idlePod("q", { spec: { volumes: [{ name: "v", ephemeral }] } }));
    await kit.untilAll(PERSISTENTVOLUMECLAIMS, "two are there", (claims) => claims.length === 2);
    await deleteClaims(kit, ["a"], ["a"]);
    await claimsLookedAt(kit);
    const versions = await settledVersions(cluster, PERSISTENTVOLUMECLAIMS);
    for (const [key, version] of before) assertEquals(versions.get(key), version, `${kind} wrote ${key}`);
    if (earlier) {
      for (const name of ["p", "q"]) await removeAtOnce(earlier, name);
      await earlier.untilAll(PERSISTENTVOLUMECLAIMS, "are gone", (claims) => claims.length === 0);
    }
    before = new Map([...versions].filter(([key]) => key.startsWith(`${kit.namespace}/`)));
    earlier = kit;
    await manager.process.stop();
    await dropLease(cluster.plane);
  }
});

clusterTest("Claims and volumes are kept by threads of their own with the rights of their own accounts", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const flags = [
    `--controller-groups=volumes=${CONTROLLERS.join(";")}`,
  ];
  const manager = await startManager(cluster.plane, "kubeloop", { flags });
  const chosen = ["pvc-gets-its-finalizer", "pvc-goes-with-its-pod", "pv-gets-its-finalizer", "vac-gets-its-finalizer"];
  for (const { name, run } of [...VOLUME_PROTECTION_SCENARIOS, ...EPHEMERAL_SCENARIOS]) {
    if (chosen.includes(name) || name === "eph-one-volume") await run(await cluster.namespace(name));
  }
  await manager.process.stop();
});

clusterTest("With PersistentVolumeClaimUnusedSinceTime claims say the same under both managers", async () => {
  const featureGates = "PersistentVolumeClaimUnusedSinceTime=true";
  await using cluster = await Cluster.start({ nodes: 0, apiserverFlags: [`--feature-gates=${featureGates}`] });
  const said: string[] = [];
  for (const kind of ["upstream", "kubeloop"] as const) {
    const flags = [`--feature-gates=${featureGates}`];
    const manager = await startManager(cluster.plane, kind, { flags });
    const kit = await cluster.namespace(kind);
    const conditionOf = async (status: string) => {
      const isSaid = ({ status: found }: PersistentVolumeClaim) =>
        findCondition(found?.conditions, "Unused")?.status === status;
      const claim = await kit.until(PERSISTENTVOLUMECLAIMS, "a", `says Unused=${status}`, isSaid);
      const { lastTransitionTime: _when, ...condition } = findCondition(claim.status?.conditions, "Unused")!;
      said.push(`${kind} ${JSON.stringify(condition)}`);
    };
    await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim("a"));
    await conditionOf("True");
    await kit.create(PODS, podWithClaims("p", ["a"], { isScheduled: false }));
    await conditionOf("False");
    await removeAtOnce(kit, "p");
    await conditionOf("True");
    await manager.process.stop();
    await dropLease(cluster.plane);
  }
  const of = (kind: string) =>
    said.filter((text) => text.startsWith(`${kind} `)).map((text) => text.slice(kind.length));
  assertEquals(of("kubeloop"), of("upstream"));
});
