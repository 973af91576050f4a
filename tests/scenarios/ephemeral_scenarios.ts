/** Pods with ephemeral volumes, and what becomes of the claims of these. */
import { PERSISTENTVOLUMECLAIMS, type Pod, PODS, RESOURCEQUOTAS } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import {
  CLAIM_SPEC,
  deleteClaims,
  endPod,
  idlePod,
  type IdlePodParts,
  removeAtOnce,
  storageClaim,
} from "./volume_kit.ts";

interface Labelled {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

function podWith(name: string, volumes: readonly string[], metadata?: Labelled, parts: IdlePodParts = {}): Pod {
  const ephemeral = { volumeClaimTemplate: { metadata, spec: CLAIM_SPEC } };
  return idlePod(name, {
    isScheduled: false,
    ...parts,
    spec: { volumes: volumes.map((name) => ({ name, ephemeral })) },
  });
}

const RETRIES = "a retry may come before the cache shows what there is";

async function claimIsMade(kit: Kit, name: string): Promise<string> {
  await kit.untilAll(
    PERSISTENTVOLUMECLAIMS,
    `${name} is there`,
    (claims) => claims.some(({ metadata }) => metadata?.name === name),
  );
  return (await kit.get(PERSISTENTVOLUMECLAIMS, name)).metadata!.uid!;
}

export const EPHEMERAL_SCENARIOS: readonly Scenario[] = [
  {
    name: "eph-one-volume",
    run: async (kit) => {
      await kit.create(PODS, podWith("p", ["v"]));
      await claimIsMade(kit, "p-v");
    },
  },
  {
    name: "eph-labels-and-annotations",
    run: async (kit) => {
      const metadata = { labels: { a: "b" }, annotations: { "example.com/c": "d" } };
      await kit.create(PODS, podWith("p", ["v"], metadata));
      await claimIsMade(kit, "p-v");
    },
  },
  {
    name: "eph-many-volumes",
    run: async (kit) => {
      const names = Array.from({ length: 12 }, (_, i) => `v${i}`);
      await kit.create(PODS, podWith("p", names));
      for (const name of names) await claimIsMade(kit, `p-${name}`);
    },
  },
  {
    name: "eph-on-a-node-at-once",
    run: async (kit) => {
      await kit.create(PODS, podWith("p", ["v"], {}, { isScheduled: true }));
      await claimIsMade(kit, "p-v");
    },
  },
  {
    name: "eph-name-taken",
    eventsDiffer: RETRIES,
    run: async (kit) => {
      await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim("p-v"));
      await kit.create(PODS, podWith("p", ["u", "v", "w"]));
      await claimIsMade(kit, "p-u");
      await kit.untilEvent("FailedBinding");
    },
  },
  {
    name: "eph-name-taken-and-given-back",
    eventsDiffer: RETRIES,
    run: async (kit) => {
      await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim("p-v"));
      await kit.create(PODS, podWith("p", ["v", "w"]));
      await kit.untilEvent("FailedBinding");
      await kit.delete(PERSISTENTVOLUMECLAIMS, "p-v");
      await claimIsMade(kit, "p-w");
    },
  },
  {
    name: "eph-two-pods-of-colliding-names",
    eventsDiffer: RETRIES,
    run: async (kit) => {
      await kit.create(PODS, podWith("a-b", ["c"]));
      await claimIsMade(kit, "a-b-c");
      await kit.create(PODS, podWith("a", ["b-c"]));
      await kit.untilEvent("FailedBinding");
    },
  },
  {
    name: "eph-claim-made-again",
    eventsDiffer: RETRIES,
    run: async (kit) => {
      await kit.create(PODS, podWith("p", ["v"]));
      const before = await claimIsMade(kit, "p-v");
      await kit.delete(PERSISTENTVOLUMECLAIMS, "p-v");
      await kit.untilAll(
        PERSISTENTVOLUMECLAIMS,
        "another one is there",
        ([claim]) => claim && claim.metadata!.uid !== before,
      );
    },
  },
  {
    name: "eph-claim-of-an-ended-pod-made-again",
    eventsDiffer: RETRIES,
    run: async (kit) => {
      await kit.create(PODS, podWith("p", ["v"]));
      const before = await claimIsMade(kit, "p-v");
      await endPod(kit, "p");
      await kit.delete(PERSISTENTVOLUMECLAIMS, "p-v");
      await kit.untilAll(
        PERSISTENTVOLUMECLAIMS,
        "another one is there",
        ([claim]) => claim && claim.metadata!.uid !== before,
      );
    },
  },
  {
    name: "eph-claim-goes-with-its-pod",
    run: async (kit) => {
      await kit.create(PODS, podWith("p", ["v"]));
      await claimIsMade(kit, "p-v");
      await kit.delete(PODS, "p");
      await kit.untilAll(PERSISTENTVOLUMECLAIMS, "are gone", (claims) => claims.length === 0);
    },
  },
  {
    name: "eph-claim-of-a-pod-that-goes-is-not-made-again",
    run: async (kit) => {
      await kit.create(PODS, podWith("p", ["v"], {}, { isScheduled: true, finalizers: ["example.com/x"] }));
      await claimIsMade(kit, "p-v");
      await removeAtOnce(kit, "p");
      await kit.until(PODS, "p", "is going", ({ metadata }) => metadata?.deletionTimestamp);
      await deleteClaims(kit, ["p-v"]);
      await kit.create(PODS, podWith("q", ["v"]));
      await claimIsMade(kit, "q-v");
    },
  },
  {
    name: "eph-refused-by-a-quota",
    eventsDiffer: "a quota names what has been used meanwhile",
    run: async (kit) => {
      const hard = { persistentvolumeclaims: "0" };
      await kit.create(RESOURCEQUOTAS, {
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "none" },
        spec: { hard },
      });
      await kit.merge(RESOURCEQUOTAS, "none", { status: { hard, used: { persistentvolumeclaims: "0" } } }, "status");
      await kit.create(PODS, podWith("p", ["v"]));
      await kit.untilEvent("FailedBinding");
      await kit.delete(RESOURCEQUOTAS, "none");
      await claimIsMade(kit, "p-v");
    },
  },
];
