/** Pods that ask for devices: how their claims are made, reserved, freed and removed. */
import { PODS, RESOURCECLAIMS, RESOURCECLAIMTEMPLATES } from "../../src/api/mod.ts";
import {
  allocate,
  byName,
  claimsAreNamed,
  consumer,
  createTemplate,
  deviceClaim,
  devicePod,
  fromTemplate,
  isFree,
  KEEPER,
  reservedFor,
} from "./resourceclaim_kit.ts";
import type { Scenario } from "./scenario.ts";
import { endPod, idlePod, removeAtOnce } from "./volume_kit.ts";

/** Where a claim keeps its device upstream's manager reserves it again for a pod that has ended on a node; others have none there. */
const ON_A_NODE = { isScheduled: true };

const OF_TEMPLATES: readonly Scenario[] = [
  {
    name: "rc-from-a-template",
    run: async (kit) => {
      await createTemplate(kit, "t", { labels: { a: "b" }, annotations: { "example.com/c": "d" } });
      await kit.create(PODS, devicePod("p", [fromTemplate("x")]));
      await claimsAreNamed(kit, "p");
    },
  },
  {
    name: "rc-two-from-one-template",
    run: async (kit) => {
      await createTemplate(kit, "t");
      await kit.create(PODS, devicePod("p", [fromTemplate("y"), fromTemplate("x")]));
      await claimsAreNamed(kit, "p", 2);
    },
  },
  {
    name: "rc-template-comes-late",
    run: async (kit) => {
      await kit.create(PODS, devicePod("p", [fromTemplate("x")]));
      await kit.untilEvent("FailedResourceClaimCreation");
      await createTemplate(kit, "t");
      await claimsAreNamed(kit, "p");
    },
  },
  {
    name: "rc-the-second-template-comes-late",
    run: async (kit) => {
      await createTemplate(kit, "t");
      await kit.create(PODS, devicePod("p", [fromTemplate("x"), fromTemplate("y", "u"), byName("z")]));
      await kit.untilEvent("FailedResourceClaimCreation");
      await kit.untilAll(RESOURCECLAIMS, "one is there", (claims) => claims.length === 1);
      await createTemplate(kit, "u");
      await claimsAreNamed(kit, "p", 2);
    },
  },
  {
    name: "rc-names-too-long",
    run: async (kit) => {
      await createTemplate(kit, "t");
      const [pod, podClaim] = ["p".repeat(60), "c".repeat(40)];
      await kit.create(PODS, devicePod(pod, [fromTemplate(podClaim)]));
      await claimsAreNamed(kit, pod);
    },
  },
  {
    name: "rc-named-and-gone",
    run: async (kit) => {
      await kit.create(PODS, devicePod("p", [fromTemplate("x")]));
      await kit.untilEvent("FailedResourceClaimCreation");
      const status = { resourceClaimStatuses: [{ name: "x", resourceClaimName: "gone" }] };
      await kit.merge(PODS, "p", { status }, "status");
      await createTemplate(kit, "t");
      await claimsAreNamed(kit, "p");
    },
  },
  {
    name: "rc-that-the-pod-does-not-need",
    run: async (kit) => {
      await kit.create(PODS, devicePod("p", [fromTemplate("x"), fromTemplate("y")]));
      await kit.untilEvent("FailedResourceClaimCreation");
      await kit.merge(PODS, "p", { status: { resourceClaimStatuses: [{ name: "x" }, { name: "y" }] } }, "status");
      await createTemplate(kit, "t");
      await kit.create(PODS, devicePod("q", [fromTemplate("x")]));
      await claimsAreNamed(kit, "q");
    },
  },
  {
    name: "rc-left-behind-by-a-crash",
    run: async (kit) => {
      const { metadata } = await kit.create(PODS, devicePod("p", [fromTemplate("x")]));
      await kit.untilEvent("FailedResourceClaimCreation");
      const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "p", uid: metadata!.uid!, controller: true }];
      const annotations = { "resource.kubernetes.io/pod-claim-name": "x" };
      await kit.create(RESOURCECLAIMS, deviceClaim("left", { ownerReferences, annotations }));
      await claimsAreNamed(kit, "p");
    },
  },
  {
    name: "rc-named-and-foreign",
    run: async (kit) => {
      await kit.create(PODS, devicePod("p", [fromTemplate("x")]));
      await kit.untilEvent("FailedResourceClaimCreation");
      await kit.create(RESOURCECLAIMS, deviceClaim("foreign"));
      const status = { resourceClaimStatuses: [{ name: "x", resourceClaimName: "foreign" }] };
      await kit.merge(PODS, "p", { status }, "status");
      await createTemplate(kit, "t");
      await kit.until(
        PODS,
        "p",
        "has a claim of its own",
        ({ status }) => status?.resourceClaimStatuses?.[0].resourceClaimName !== "foreign",
      );
      await claimsAreNamed(kit, "p");
    },
  },
  {
    name: "rc-goes-with-a-pod-that-has-no-node",
    run: async (kit) => {
      await createTemplate(kit, "t");
      await kit.create(PODS, devicePod("p", [fromTemplate("x")]));
      await claimsAreNamed(kit, "p");
      await kit.delete(PODS, "p");
      await kit.untilAll(RESOURCECLAIMS, "are gone", (claims) => claims.length === 0);
      await kit.delete(RESOURCECLAIMTEMPLATES, "t");
    },
  },
];

const OF_RESERVATIONS: readonly Scenario[] = [
  {
    name: "rc-reserved-for-a-pod-past-the-scheduler",
    run: async (kit) => {
      await createTemplate(kit, "t");
      await kit.create(RESOURCECLAIMS, deviceClaim("a"));
      await kit.create(PODS, devicePod("p", [byName("a"), fromTemplate("x")], ON_A_NODE));
      const { x } = await claimsAreNamed(kit, "p");
      for (const name of ["a", x]) await allocate(kit, name);
      for (const name of ["a", x]) await reservedFor(kit, name, 1);
    },
  },
  {
    name: "rc-reserved-for-nobody-without-a-device",
    run: async (kit) => {
      await kit.create(RESOURCECLAIMS, deviceClaim("a"));
      await kit.create(RESOURCECLAIMS, deviceClaim("b"));
      await kit.create(PODS, devicePod("p", [byName("a")], ON_A_NODE));
      await kit.create(PODS, devicePod("q", [byName("b")], ON_A_NODE));
      await allocate(kit, "b");
      await reservedFor(kit, "b", 1);
    },
  },
  {
    name: "rc-of-a-pod-that-ends",
    run: async (kit) => {
      await createTemplate(kit, "t");
      await kit.create(PODS, devicePod("p", [fromTemplate("x")], ON_A_NODE));
      const { x } = await claimsAreNamed(kit, "p");
      await allocate(kit, x, [await consumer(kit, "p")]);
      await endPod(kit, "p");
      await kit.untilAll(RESOURCECLAIMS, "are gone", (claims) => claims.length === 0);
      await removeAtOnce(kit, "p"); // its status has a name that nobody else knows
    },
  },
  {
    name: "rc-of-a-user-whose-pod-ends",
    run: async (kit) => {
      await kit.create(RESOURCECLAIMS, deviceClaim("a"));
      await kit.create(PODS, devicePod("p", [byName("a")], ON_A_NODE));
      await allocate(kit, "a", [await consumer(kit, "p")]);
      await endPod(kit, "p", "Failed");
      await isFree(kit, "a");
    },
  },
  {
    name: "rc-shared-by-two-pods",
    run: async (kit) => {
      await kit.create(RESOURCECLAIMS, deviceClaim("a"));
      for (const name of ["p", "q"]) await kit.create(PODS, devicePod(name, [byName("a")]));
      await allocate(kit, "a", [await consumer(kit, "p"), await consumer(kit, "q")]);
      await endPod(kit, "p");
      await reservedFor(kit, "a", 1);
      await removeAtOnce(kit, "q");
      await reservedFor(kit, "a", 0);
      await isFree(kit, "a");
    },
  },
  {
    name: "rc-kept-for-one-pod-of-two",
    run: async (kit) => {
      await kit.create(RESOURCECLAIMS, deviceClaim("a", { finalizers: ["example.com/x"] }));
      for (const name of ["p", "q"]) await kit.create(PODS, devicePod(name, [byName("a")], ON_A_NODE));
      const consumers = [await consumer(kit, "p"), await consumer(kit, "q")];
      await allocate(kit, "a", consumers, { finalizers: ["example.com/x", KEEPER] });
      await removeAtOnce(kit, "q");
      await reservedFor(kit, "a", 1);
    },
  },
  {
    name: "rc-reserved-by-another-kind-too",
    run: async (kit) => {
      await kit.create(RESOURCECLAIMS, deviceClaim("a"));
      await kit.create(PODS, devicePod("p", [byName("a")]));
      const other = { apiGroup: "example.com", resource: "things", name: "t", uid: "u" };
      await allocate(kit, "a", [other, await consumer(kit, "p")]);
      await endPod(kit, "p");
      await reservedFor(kit, "a", 1);
    },
  },
  {
    name: "rc-reserved-for-a-pod-that-never-was",
    run: async (kit) => {
      await kit.create(RESOURCECLAIMS, deviceClaim("a"));
      await allocate(kit, "a", [{ resource: "pods", name: "never", uid: "never" }]);
      await isFree(kit, "a");
    },
  },
  {
    name: "rc-without-keeper-keeps-its-device",
    run: async (kit) => {
      await kit.create(RESOURCECLAIMS, deviceClaim("a"));
      await kit.create(PODS, devicePod("p", [byName("a")]));
      await allocate(kit, "a", [await consumer(kit, "p")], { finalizers: [] });
      await endPod(kit, "p");
      await reservedFor(kit, "a", 0);
    },
  },
  {
    name: "rc-deleted-with-a-device",
    run: async (kit) => {
      await kit.create(RESOURCECLAIMS, deviceClaim("a"));
      await allocate(kit, "a");
      await kit.delete(RESOURCECLAIMS, "a");
      await kit.untilGone(RESOURCECLAIMS, "a");
    },
  },
  {
    name: "rc-deleted-while-it-is-used",
    run: async (kit) => {
      for (const name of ["a", "b"]) await kit.create(RESOURCECLAIMS, deviceClaim(name));
      for (const name of ["a", "b"]) await kit.create(PODS, devicePod(`p${name}`, [byName(name)], ON_A_NODE));
      for (const name of ["a", "b"]) await allocate(kit, name, [await consumer(kit, `p${name}`)]);
      for (const name of ["a", "b"]) await kit.delete(RESOURCECLAIMS, name);
      await endPod(kit, "pb");
      await kit.untilGone(RESOURCECLAIMS, "b");
    },
  },
  {
    name: "rc-for-extended-resources-of-a-pod-that-ends",
    run: async (kit) => {
      const resources = { requests: { "example.com/gpu": "1" }, limits: { "example.com/gpu": "1" } };
      const spec = { containers: [{ name: "c", image: "nginx:1", resources }] };
      const { metadata } = await kit.create(PODS, idlePod("p", { spec }));
      const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "p", uid: metadata!.uid!, controller: true }];
      const annotations = { "resource.kubernetes.io/extended-resource-claim": "true" };
      await kit.create(RESOURCECLAIMS, deviceClaim("e", { ownerReferences, annotations }));
      await allocate(kit, "e", [await consumer(kit, "p")]);
      const requestMappings = [{ containerName: "c", resourceName: "example.com/gpu", requestName: "r" }];
      const extendedResourceClaimStatus = { resourceClaimName: "e", requestMappings };
      await kit.merge(PODS, "p", { status: { extendedResourceClaimStatus } }, "status");
      await endPod(kit, "p");
      await kit.untilGone(RESOURCECLAIMS, "e");
    },
  },
];

export const RESOURCECLAIM_SCENARIOS: readonly Scenario[] = [...OF_TEMPLATES, ...OF_RESERVATIONS];
