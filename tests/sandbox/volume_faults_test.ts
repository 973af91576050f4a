/** Claims, volumes and devices while requests fail, answers are lost and caches are late: the whole manager on the embedded API server. */
import { assertEquals } from "@std/assert";
import { type TestCluster, withTestCluster } from "kubeloop/testing";
import { PERSISTENTVOLUMECLAIMS, PODS, RESOURCECLAIMS } from "../../src/api/mod.ts";
import { claimsAreNamed, createTemplate, devicePod, fromTemplate } from "../scenarios/resourceclaim_kit.ts";
import {
  CLAIM_SPEC,
  deleteClaims,
  idlePod,
  podWithClaims,
  removeAtOnce,
  storageClaim,
} from "../scenarios/volume_kit.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

type Fault = Parameters<TestCluster["fault"]>[0];
/** By then every watch has ended once and begun anew. */
const ALL_WATCHES_ANEW_MS = 15 * 60_000;
const LATE: Fault = { verb: "watch", resource: "*", userAgent: "shared-informers", lagMs: 3_000 };

const FAULTS: ReadonlyArray<readonly [title: string, ...faults: Fault[]]> = [
  ["at ease"],
  ["while names cannot be written", { verb: "patch", resource: "pods/status", times: 3, status: { code: 500 } }],
  ["while answers to names are lost", { verb: "patch", resource: "pods/status", times: 2, drop: "after" }],
  ["while claims are refused", {
    verb: "create",
    resource: "resourceclaims.resource.k8s.io",
    times: 3,
    status: { code: 500 },
  }],
  ["while caches of claims are late", { ...LATE, resource: "resourceclaims.resource.k8s.io" }],
  ["while caches of pods are late", { ...LATE, resource: "pods" }],
  [
    "while caches of claims are late and names cannot be written",
    { ...LATE, resource: "resourceclaims.resource.k8s.io" },
    { verb: "patch", resource: "pods/status", times: 3, status: { code: 500 } },
  ],
];

for (const [title, ...faults] of FAULTS) {
  Deno.test(`a pod gets each of its claims of devices once: ${title}`, () =>
    withTestCluster({ nodes: 0 }, async (cluster) => {
      const kit = kitOf(cluster, await cluster.namespace("faults"));
      await createTemplate(kit, "t");
      const met = faults.map((fault) => cluster.fault(fault));
      if (faults.some(({ verb }) => verb === "watch")) await cluster.advance(ALL_WATCHES_ANEW_MS);
      for (const name of ["p", "q"]) {
        await kit.create(PODS, devicePod(name, [fromTemplate("x"), fromTemplate("y"), fromTemplate("z")]));
      }
      for (const name of ["p", "q"]) await claimsAreNamed(kit, name, 3);
      await cluster.advance(120_000);
      assertEquals((await kit.list(RESOURCECLAIMS)).length, 6);
      assertEquals(met.map(({ hits }) => hits > 0), faults.map(() => true));
    }));
}

const CLAIM_FAULTS: ReadonlyArray<readonly [title: string, ...faults: Fault[]]> = [
  ["while finalizers meet conflicts", {
    verb: "update",
    resource: "persistentvolumeclaims",
    times: 3,
    status: { code: 409 },
  }],
  ["while answers are lost", { verb: "update", resource: "persistentvolumeclaims", times: 2, drop: "after" }],
  ["while pods cannot be listed", { verb: "list", resource: "pods", times: 3, status: { code: 403 } }],
  ["while claims of volumes are refused", {
    verb: "create",
    resource: "persistentvolumeclaims",
    times: 3,
    status: { code: 500 },
  }],
];

for (const [title, ...faults] of CLAIM_FAULTS) {
  Deno.test(`claims are made, kept and let go: ${title}`, () =>
    withTestCluster({ nodes: 0 }, async (cluster) => {
      const kit = kitOf(cluster, await cluster.namespace("faults"));
      for (const name of ["a", "b"]) await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim(name));
      await kit.create(PODS, podWithClaims("p", ["a"]));
      await cluster.settle();
      const met = faults.map((fault) => cluster.fault({ userAgent: "kube-controller-manager", ...fault }));
      const ephemeral = { volumeClaimTemplate: { spec: CLAIM_SPEC } };
      const volumes = ["v", "w"].map((name) => ({ name, ephemeral }));
      await kit.create(PODS, idlePod("q", { isScheduled: false, spec: { volumes } }));
      await deleteClaims(kit, ["a", "b"], ["a"]);
      await cluster.advance(60_000);
      const names = (await kit.list(PERSISTENTVOLUMECLAIMS)).map(({ metadata }) => metadata?.name);
      assertEquals(names, ["a", "q-v", "q-w"]);
      await removeAtOnce(kit, "p");
      await kit.untilGone(PERSISTENTVOLUMECLAIMS, "a");
      assertEquals(met.map(({ hits }) => hits > 0), faults.map(() => true));
    }));
}

Deno.test("a claim stays whose pod the cache does not show yet", () =>
  withTestCluster({ nodes: 0 }, async (cluster) => {
    const kit = kitOf(cluster, await cluster.namespace("faults"));
    await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim("a"));
    await cluster.settle();
    using lag = cluster.fault({ ...LATE, resource: "pods", lagMs: 60_000 });
    await cluster.advance(ALL_WATCHES_ANEW_MS);
    await kit.create(PODS, podWithClaims("p", ["a"]));
    await kit.delete(PERSISTENTVOLUMECLAIMS, "a");
    await cluster.advance(30_000);
    assertEquals([(await kit.list(PERSISTENTVOLUMECLAIMS)).length, lag.hits > 0], [1, true]);
  }));
