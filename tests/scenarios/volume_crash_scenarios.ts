/** What is done to claims, volumes and devices while the controllers of these are killed. */
import {
  type KubeObject,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  PODS,
  type Resource,
  RESOURCECLAIMS,
  VOLUMEATTRIBUTESCLASSES,
} from "../../src/api/mod.ts";
import type { CrashScenario } from "./crash_scenarios.ts";
import {
  allocate,
  byName,
  claimsAreNamed,
  consumer,
  createTemplate,
  deviceClaim,
  devicePod,
  fromTemplate,
  reservedFor,
} from "./resourceclaim_kit.ts";
import {
  CLAIM_SPEC,
  claimsLookedAt,
  clusterName,
  deleteClaims,
  deleteCluster,
  endPod,
  idlePod,
  patchCluster,
  podWithClaims,
  removeAtOnce,
  storageClaim,
  storageVolume,
  untilCluster,
} from "./volume_kit.ts";

const OUTSIDE: ReadonlyArray<readonly [name: string, resource: Resource<KubeObject>]> = [
  ["v", PERSISTENTVOLUMES],
  ["w", VOLUMEATTRIBUTESCLASSES],
];
const NO_FINALIZERS = { metadata: { finalizers: null } };
const RETRIES = "a claim that was created is refused until the cache shows it";

export const VOLUME_CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "kept",
    controllers: [
      "persistentvolumeclaim-protection-controller",
      "persistentvolume-protection-controller",
      "volumeattributesclass-protection-controller",
    ],
    resources: [PERSISTENTVOLUMECLAIMS],
    run: async (kit) => {
      for (const name of ["a", "b", "c"]) await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim(name));
      await kit.merge(PERSISTENTVOLUMECLAIMS, "a", NO_FINALIZERS);
      await kit.until(PERSISTENTVOLUMECLAIMS, "a", "is kept", ({ metadata }) => metadata?.finalizers?.length);
      await kit.create(PODS, podWithClaims("p", ["a", "b"]));
      await deleteClaims(kit, ["a", "b", "c"], ["a", "b"]);
      await claimsLookedAt(kit);
      await removeAtOnce(kit, "p");
      for (const name of ["a", "b"]) await kit.untilGone(PERSISTENTVOLUMECLAIMS, name);
      await kit.create(
        PERSISTENTVOLUMES,
        storageVolume(kit, "v", { volumeAttributesClassName: clusterName(kit, "w") }),
      );
      await kit.create(VOLUMEATTRIBUTESCLASSES, {
        apiVersion: "storage.k8s.io/v1",
        kind: "VolumeAttributesClass",
        metadata: { name: clusterName(kit, "w") },
        driverName: "csi.example.com",
        parameters: { iops: "1" },
      });
      for (const [name, resource] of OUTSIDE) {
        await patchCluster(kit, resource, name, NO_FINALIZERS);
        await untilCluster(kit, resource, name, (found) => found?.metadata?.finalizers?.length);
        await deleteCluster(kit, resource, name);
      }
      for (const [name, resource] of OUTSIDE) await untilCluster(kit, resource, name, (found) => !found);
    },
  },
  {
    name: "ephemeral",
    controllers: ["ephemeral-volume-controller", "persistentvolumeclaim-protection-controller"],
    resources: [PERSISTENTVOLUMECLAIMS],
    mayTell: new Map([[/FailedBinding .*already exists/, RETRIES]]),
    run: async (kit) => {
      const ephemeral = { volumeClaimTemplate: { spec: CLAIM_SPEC } };
      const volumes = ["v", "w"].map((name) => ({ name, ephemeral }));
      for (const name of ["p", "q"]) await kit.create(PODS, idlePod(name, { isScheduled: false, spec: { volumes } }));
      const areThere = () => kit.untilAll(PERSISTENTVOLUMECLAIMS, "four are there", (claims) => claims.length === 4);
      const before = new Set((await areThere()).map(({ metadata }) => metadata!.uid));
      await kit.delete(PERSISTENTVOLUMECLAIMS, "p-v");
      await kit.untilAll(
        PERSISTENTVOLUMECLAIMS,
        "one is new",
        (claims) => claims.length === 4 && claims.some(({ metadata }) => !before.has(metadata!.uid)),
      );
    },
  },
  {
    name: "devices",
    controllers: ["resourceclaim-controller"],
    resources: [RESOURCECLAIMS],
    run: async (kit) => {
      await createTemplate(kit, "t");
      await kit.create(RESOURCECLAIMS, deviceClaim("shared"));
      for (const name of ["p", "q"]) {
        const claims = [fromTemplate("x"), fromTemplate("y"), byName("shared")];
        await kit.create(PODS, devicePod(name, claims, { isScheduled: true }));
      }
      const { x } = await claimsAreNamed(kit, "p", 2);
      await claimsAreNamed(kit, "q", 2);
      await allocate(kit, "shared");
      await reservedFor(kit, "shared", 2);
      await allocate(kit, x, [await consumer(kit, "p")]);
      await endPod(kit, "p");
      await kit.untilAll(RESOURCECLAIMS, "those of p are gone", (claims) => claims.length === 3);
      await removeAtOnce(kit, "p");
      await removeAtOnce(kit, "q");
      await reservedFor(kit, "shared", 0);
      // Who is killed before the last write leaves the finalizer, as the scheduler may: that is for the claim's deletion.
      await kit.delete(RESOURCECLAIMS, "shared");
      await kit.untilGone(RESOURCECLAIMS, "shared");
    },
  },
];
