/** Claims of devices that the pods of a group share, where the gate `DRAWorkloadResourceClaims` is on. */
import {
  type PodGroup,
  PODGROUPS,
  PODS,
  type ResourceClaimConsumerReference,
  RESOURCECLAIMS,
} from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
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
} from "./resourceclaim_kit.ts";
import type { Scenario } from "./scenario.ts";
import { endPod, removeAtOnce } from "./volume_kit.ts";

type Claims = Parameters<typeof devicePod>[1];

async function createGroup(kit: Kit, resourceClaims: Claims, name = "team"): Promise<PodGroup> {
  return await kit.create(PODGROUPS, {
    apiVersion: "scheduling.k8s.io/v1alpha2",
    kind: "PodGroup",
    metadata: { name },
    spec: { schedulingPolicy: { basic: {} }, resourceClaims },
  });
}

/** Makes a pod of the group. */
async function createMember(kit: Kit, name: string, claims: Claims, isScheduled = false): Promise<void> {
  await kit.create(PODS, devicePod(name, claims, { isScheduled, spec: { schedulingGroup: { podGroupName: "team" } } }));
}

/** Waits until the group's status names a claim that is there, and gives its name. */
async function groupClaimIsNamed(
  kit: Kit,
  group = "team",
): Promise<string> {
  const { status } = await kit.until(PODGROUPS, group, "has its claim", async ({ status }) => {
    const name = status?.resourceClaimStatuses?.[0]?.resourceClaimName;
    return name !== undefined && await kit.find(RESOURCECLAIMS, name) !== undefined;
  });
  return status!.resourceClaimStatuses![0].resourceClaimName!;
}

async function groupConsumer(kit: Kit): Promise<ResourceClaimConsumerReference> {
  const { metadata } = await kit.get(PODGROUPS, "team");
  return { apiGroup: "scheduling.k8s.io", resource: "podgroups", name: "team", uid: metadata!.uid! };
}

const TAKEN = [fromTemplate("x")];

export const GROUP_CLAIM_SCENARIOS: readonly Scenario[] = [
  {
    name: "group-claim-shared-by-two-pods",
    run: async (kit) => {
      await createTemplate(kit, "t", { labels: { a: "b" }, annotations: { "example.com/c": "d" } });
      await createGroup(kit, TAKEN);
      await groupClaimIsNamed(kit);
      for (const name of ["p", "q"]) await createMember(kit, name, TAKEN);
      for (const name of ["p", "q"]) await claimsAreNamed(kit, name);
    },
  },
  {
    name: "group-claim-after-its-pods",
    run: async (kit) => {
      await createTemplate(kit, "t");
      for (const name of ["p", "q"]) await createMember(kit, name, TAKEN);
      await createGroup(kit, TAKEN);
      for (const name of ["p", "q"]) await claimsAreNamed(kit, name);
    },
  },
  {
    name: "group-claim-beside-one-of-the-pod",
    run: async (kit) => {
      await createTemplate(kit, "t");
      await createTemplate(kit, "u");
      await createGroup(kit, TAKEN);
      await groupClaimIsNamed(kit);
      await createMember(kit, "p", [...TAKEN, fromTemplate("y")]);
      await claimsAreNamed(kit, "p", 2);
      await createMember(kit, "q", [fromTemplate("x", "u")]);
      await claimsAreNamed(kit, "q");
    },
  },
  {
    name: "group-claim-template-comes-late",
    run: async (kit) => {
      await createGroup(kit, TAKEN);
      await kit.untilEvent("FailedResourceClaimCreation");
      await createMember(kit, "p", TAKEN);
      await createTemplate(kit, "t");
      await claimsAreNamed(kit, "p");
    },
  },
  {
    name: "group-claim-names-too-long",
    run: async (kit) => {
      await createTemplate(kit, "t");
      const [group, podClaim] = ["g".repeat(60), "c".repeat(40)];
      await createGroup(kit, [fromTemplate(podClaim)], group);
      await groupClaimIsNamed(kit, group);
    },
  },
  {
    name: "group-claim-left-behind-by-a-crash",
    run: async (kit) => {
      const { metadata } = await createGroup(kit, TAKEN);
      await kit.untilEvent("FailedResourceClaimCreation");
      const owner = { apiVersion: "scheduling.k8s.io/v1alpha2", kind: "PodGroup", name: "team", uid: metadata!.uid! };
      const annotations = { "resource.kubernetes.io/pod-claim-name": "x" };
      await kit.create(
        RESOURCECLAIMS,
        deviceClaim("left", { ownerReferences: [{ ...owner, controller: true }], annotations }),
      );
      await groupClaimIsNamed(kit);
    },
  },
  {
    name: "group-claim-reserved-once-for-pods-past-the-scheduler",
    run: async (kit) => {
      await createTemplate(kit, "t");
      await createGroup(kit, TAKEN);
      const x = await groupClaimIsNamed(kit);
      for (const name of ["p", "q"]) await createMember(kit, name, TAKEN, true);
      for (const name of ["p", "q"]) await claimsAreNamed(kit, name);
      await allocate(kit, x);
      await reservedFor(kit, x, 1);
    },
  },
  {
    name: "group-claim-of-a-user-and-one-of-the-pod",
    run: async (kit) => {
      for (const name of ["a", "b"]) await kit.create(RESOURCECLAIMS, deviceClaim(name));
      await createGroup(kit, [byName("a")]);
      for (const name of ["a", "b"]) await allocate(kit, name);
      await createMember(kit, "p", [byName("a"), byName("b")], true);
      for (const name of ["a", "b"]) await reservedFor(kit, name, 1);
      await endPod(kit, "p");
      await isFree(kit, "b");
      await reservedFor(kit, "a", 1);
    },
  },
  {
    name: "group-claim-freed-with-the-group",
    run: async (kit) => {
      await createTemplate(kit, "t");
      await createGroup(kit, TAKEN);
      const x = await groupClaimIsNamed(kit);
      await createMember(kit, "p", TAKEN);
      await claimsAreNamed(kit, "p");
      await allocate(kit, x, [await groupConsumer(kit)]);
      await kit.delete(PODGROUPS, "team");
      await removeAtOnce(kit, "p");
      await kit.untilGone(PODGROUPS, "team");
      await kit.untilGone(RESOURCECLAIMS, x);
    },
  },
  {
    name: "group-claim-of-a-user-freed-with-the-group",
    run: async (kit) => {
      await kit.create(RESOURCECLAIMS, deviceClaim("a"));
      await createGroup(kit, [byName("a")]);
      await allocate(kit, "a", [await groupConsumer(kit)]);
      await kit.delete(PODGROUPS, "team");
      await isFree(kit, "a");
    },
  },
  {
    name: "group-claim-reserved-for-a-group-that-never-was",
    run: async (kit) => {
      await kit.create(RESOURCECLAIMS, deviceClaim("a"));
      await allocate(kit, "a", [{ apiGroup: "scheduling.k8s.io", resource: "podgroups", name: "team", uid: "never" }]);
      await isFree(kit, "a");
    },
  },
];
