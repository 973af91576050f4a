/** Pods that use devices with taints: who is evicted, when, and who is spared. */
import { PODS, RESOURCECLAIMS, RESOURCESLICES } from "../../src/api/mod.ts";
import {
  BROKEN,
  createUser,
  giveDevice,
  isCalledOff,
  isEvicted,
  look,
  offer,
  ownName,
  taint,
  tolerated,
} from "./device_taint_kit.ts";
import { consumer, deviceClaim, devicePod, fromTemplate } from "./resourceclaim_kit.ts";
import type { Scenario } from "./scenario.ts";
import { removeAtOnce } from "./volume_kit.ts";

const ALONE = "x-alone";
const HOUR_SECONDS = 3600;
const ON_A_NODE = { isScheduled: true };

const OF_TAINTS: readonly Scenario[] = [
  {
    name: "dt-tainted-when-it-comes",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] });
      await createUser(kit, "p");
      await isEvicted(kit, "p");
    },
  },
  {
    name: "dt-tainted-later",
    run: async (kit) => {
      await offer(kit, { d: [], e: [] });
      for (const name of ["p", "q"]) await createUser(kit, name);
      await createUser(kit, "r", { device: "e" });
      await look(kit);
      await taint(kit, { d: [BROKEN], e: [] });
      for (const name of ["p", "q"]) await isEvicted(kit, name);
    },
  },
  {
    name: "dt-kept-by-a-finalizer",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] });
      await createUser(kit, "p", { finalizers: ["example.com/keeper"] });
      await isEvicted(kit, "p");
      await removeAtOnce(kit, "p");
      await taint(kit, { d: [] });
      await look(kit);
    },
  },
  {
    name: "dt-effects-that-evict-nobody",
    run: async (kit) => {
      await offer(kit, { d: [{ key: "a", effect: "NoSchedule" }], e: [{ key: "a", effect: "None" }] });
      await createUser(kit, "p");
      await createUser(kit, "q", { device: "e" });
      await look(kit);
    },
  },
  {
    name: "dt-that-nobody-offers",
    run: async (kit) => {
      await createUser(kit, "p");
      await offer(kit, { e: [BROKEN] });
      await look(kit);
    },
  },
  {
    name: "dt-of-an-old-generation",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] }, { name: "old", generation: 1 });
      await offer(kit, { d: [] }, { name: "new", generation: 2 });
      await look(kit, "first");
      await createUser(kit, "p");
      await look(kit);
      await kit.client.delete(RESOURCESLICES, { name: ownName(kit, "new") });
      await isEvicted(kit, "p");
    },
  },
];

const OF_TOLERATIONS: readonly Scenario[] = [
  {
    name: "dt-tolerated-for-a-while",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] });
      await createUser(kit, "p", { tolerations: [tolerated(4), tolerated(HOUR_SECONDS)] });
      await isEvicted(kit, "p");
    },
  },
  {
    name: "dt-tolerated-for-good",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] });
      await createUser(kit, "p", { tolerations: [tolerated()] });
      await createUser(kit, "q", { tolerations: [{ operator: "Exists", effect: "NoExecute" }] });
      await look(kit);
    },
  },
  {
    name: "dt-not-quite-tolerated",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] });
      const { key } = BROKEN;
      await createUser(kit, "of-no-effect", { tolerations: [{ key, operator: "Exists" }] });
      await createUser(kit, "of-another-key", { tolerations: [{ ...tolerated(), key: "example.com/other" }] });
      await createUser(kit, "of-no-value", { tolerations: [{ key, operator: "Equal", effect: "NoExecute" }] });
      for (const name of ["of-no-effect", "of-another-key", "of-no-value"]) await isEvicted(kit, name);
    },
  },
  {
    name: "dt-one-taint-of-two-tolerated",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN, { ...BROKEN, key: "example.com/hot" }], e: [BROKEN] });
      await createUser(kit, "p", { tolerations: [tolerated()] });
      await createUser(kit, "q", { tolerations: [tolerated()], device: "e" });
      await isEvicted(kit, "p");
      await look(kit);
    },
  },
  {
    name: "dt-tolerated-for-less-than-no-time",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] });
      await createUser(kit, "p", { tolerations: [tolerated(-5)] });
      await isEvicted(kit, "p");
    },
  },
  {
    name: "dt-since-long-ago-and-from-far-off",
    run: async (kit) => {
      const [long, far] = ["1999-01-01T00:00:00Z", "2999-01-01T00:00:00Z"];
      await offer(kit, { d: [{ ...BROKEN, timeAdded: long }], e: [{ ...BROKEN, timeAdded: far }] });
      await createUser(kit, "p", { tolerations: [tolerated(HOUR_SECONDS)] });
      await createUser(kit, "q", { device: "e" });
      await isEvicted(kit, "p");
      await look(kit);
    },
  },
];

const CALLED_OFF: readonly Scenario[] = [
  {
    name: "dt-taint-goes-before-its-time",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] });
      await createUser(kit, "p", { tolerations: [tolerated(HOUR_SECONDS)] });
      await look(kit);
      await taint(kit, { d: [] });
      await isCalledOff(kit, "p");
    },
  },
  {
    name: "dt-new-generation-without-taint",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] });
      await createUser(kit, "p", { tolerations: [tolerated(HOUR_SECONDS)] });
      await look(kit);
      await offer(kit, { e: [] }, { name: "new", generation: 2 });
      await isCalledOff(kit, "p");
    },
  },
  {
    name: "dt-slice-goes",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] });
      await createUser(kit, "p", { tolerations: [tolerated(HOUR_SECONDS)] });
      await look(kit);
      await kit.client.delete(RESOURCESLICES, { name: ownName(kit, "slice") });
      await isCalledOff(kit, "p");
    },
  },
  {
    name: "dt-claim-loses-its-device",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] });
      await createUser(kit, "p", { tolerations: [tolerated(HOUR_SECONDS)] });
      await look(kit);
      await kit.merge(RESOURCECLAIMS, "p", { status: { allocation: null, reservedFor: null } }, "status");
      await isCalledOff(kit, "p");
    },
  },
  {
    name: "dt-taint-moves-to-now",
    run: async (kit) => {
      await offer(kit, { d: [{ ...BROKEN, timeAdded: "2999-01-01T00:00:00Z" }] });
      await createUser(kit, "p");
      await look(kit);
      await taint(kit, { d: [BROKEN] });
      await isEvicted(kit, "p");
    },
  },
  {
    name: "dt-pod-goes-before-its-time",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] });
      await createUser(kit, "p", { tolerations: [tolerated(4)] });
      await look(kit);
      await removeAtOnce(kit, "p");
      await kit.untilGone(PODS, "p");
      await kit.create(PODS, devicePod("p", [], ON_A_NODE));
      await createUser(kit, "q", { tolerations: [tolerated(5)] });
      await isEvicted(kit, "q");
    },
  },
];

const OF_CLAIMS: readonly Scenario[] = [
  {
    name: "dt-reserved-for-another-first",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] });
      await kit.create(PODS, devicePod("another", [], ON_A_NODE));
      const another = await consumer(kit, "another");
      await createUser(kit, "p", { reservedFor: [another] });
      await look(kit, "first");
      await kit.merge(RESOURCECLAIMS, "p", { status: { reservedFor: [another, await consumer(kit, "p")] } }, "status");
      await isEvicted(kit, "p");
    },
  },
  {
    name: "dt-claim-from-a-template",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] });
      for (const name of ["own", "foreign"]) {
        const { metadata } = await kit.create(PODS, devicePod(name, [fromTemplate("r")], ON_A_NODE));
        const owner = { apiVersion: "v1", kind: "Pod", name, uid: metadata!.uid!, controller: true };
        const ownerReferences = name === "own" ? [owner] : [];
        await kit.create(RESOURCECLAIMS, deviceClaim(name, { ownerReferences }));
        await giveDevice(kit, name, { reservedFor: [await consumer(kit, name)] });
      }
      await look(kit, "first");
      for (const name of ["own", "foreign"]) {
        const status = { resourceClaimStatuses: [{ name: "r", resourceClaimName: name }] };
        await kit.merge(PODS, name, { status }, "status");
      }
      await isEvicted(kit, "own");
      await look(kit);
    },
  },
  {
    name: "dt-without-a-node",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] });
      await createUser(kit, "p", { isScheduled: false });
      await look(kit);
    },
  },
  {
    name: "dt-device-comes-with-the-claim",
    run: async (kit) => {
      await offer(kit, { d: [BROKEN] });
      await kit.create(RESOURCECLAIMS, deviceClaim(ALONE));
      const claims = [{ name: "r", resourceClaimName: ALONE }, { name: "s", resourceClaimName: "never-there" }];
      await kit.create(PODS, devicePod("p", claims, ON_A_NODE));
      await look(kit);
      await giveDevice(kit, ALONE, { reservedFor: [await consumer(kit, "p")] });
      await isEvicted(kit, "p");
    },
  },
];

export const DEVICE_TAINT_SCENARIOS: readonly Scenario[] = [
  ...OF_TAINTS,
  ...OF_TOLERATIONS,
  ...CALLED_OFF,
  ...OF_CLAIMS,
];
