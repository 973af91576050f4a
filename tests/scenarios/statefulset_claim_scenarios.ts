/** StatefulSets whose pods have claims, and what becomes of these. */
import { CONTROLLERREVISIONS, PERSISTENTVOLUMECLAIMS, PODS, STATEFULSETS } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import { bindClaims, DATA, resizeSet, setRolledOut, statefulSet, strangeRevision } from "./set_kit.ts";

/** A set with claims, each of which gets its volume. */
async function rollOutWithClaims(kit: Kit, options: Parameters<typeof statefulSet>[1] = {}): Promise<void> {
  const set = statefulSet("a", { volumeClaimTemplates: [DATA], podManagementPolicy: "Parallel", ...options });
  await kit.create(STATEFULSETS, set);
  await bindClaims(kit, set.spec!.replicas!);
  await setRolledOut(kit, "a");
}

const deletesClaims = (whenScaled: string, whenDeleted: string) => ({
  persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted },
});

const CLAIM_RACE = "a claim may get its volume just when its owners are written, which is a conflict";

/** Of sets whose pods have claims. */
export const CLAIMS_OF_SETS: readonly Scenario[] = [
  {
    name: "sts-claims-retained",
    run: async (kit) => {
      await rollOutWithClaims(kit);
      await resizeSet(kit, 1);
    },
  },
  {
    name: "sts-claims-ordered",
    run: (kit) => rollOutWithClaims(kit, { replicas: 1, podManagementPolicy: "OrderedReady" }),
  },
  {
    name: "sts-claims-go-with-pods",
    run: async (kit) => {
      await rollOutWithClaims(kit, deletesClaims("Delete", "Retain"));
      await kit.merge(STATEFULSETS, "a", { spec: { replicas: 1 } });
      await kit.untilAll(PERSISTENTVOLUMECLAIMS, "one is left", (claims) => claims.length === 1);
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-claims-go-with-set",
    eventsDiffer: CLAIM_RACE,
    run: async (kit) => {
      await rollOutWithClaims(kit, deletesClaims("Retain", "Delete"));
      await resizeSet(kit, 1);
      await kit.delete(STATEFULSETS, "a", "Background");
      await kit.untilAll(PERSISTENTVOLUMECLAIMS, "are gone", (claims) => claims.length === 0);
      await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
    },
  },
  {
    name: "sts-claims-go-with-both",
    eventsDiffer: CLAIM_RACE,
    run: async (kit) => {
      await rollOutWithClaims(kit, deletesClaims("Delete", "Delete"));
      await kit.merge(STATEFULSETS, "a", { spec: { replicas: 2 } });
      await kit.untilAll(PERSISTENTVOLUMECLAIMS, "two are left", (claims) => claims.length === 2);
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-claims-policy-changed",
    eventsDiffer: CLAIM_RACE,
    run: async (kit) => {
      await rollOutWithClaims(kit, { replicas: 2 });
      const owners = (count: number) => (claims: { metadata?: { ownerReferences?: unknown[] } }[]) =>
        claims.every(({ metadata }) => (metadata?.ownerReferences?.length ?? 0) === count);
      await kit.merge(STATEFULSETS, "a", { spec: deletesClaims("Retain", "Delete") });
      await kit.untilAll(PERSISTENTVOLUMECLAIMS, "are owned", owners(1));
      await kit.merge(STATEFULSETS, "a", { spec: deletesClaims("Retain", "Retain") });
      await kit.untilAll(PERSISTENTVOLUMECLAIMS, "are free", owners(0));
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-claims-conflict",
    run: async (kit) => {
      await rollOutWithClaims(kit, { replicas: 1 });
      const { metadata } = await kit.get(STATEFULSETS, "a");
      const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "x", uid: metadata!.uid!, controller: true };
      const config = await kit.create(CONTROLLERREVISIONS, strangeRevision("owner"));
      const controller = { ...owner, kind: "ControllerRevision", name: "owner", uid: config.metadata!.uid! };
      await kit.merge(PERSISTENTVOLUMECLAIMS, "data-a-0", { metadata: { ownerReferences: [controller] } });
      await kit.merge(STATEFULSETS, "a", { spec: deletesClaims("Delete", "Retain") });
      await setRolledOut(kit, "a");
    },
  },
];
