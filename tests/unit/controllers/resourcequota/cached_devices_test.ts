/** What caches know of devices that stand in for extended resources. */
import { assertEquals } from "@std/assert";
import type { DeviceClass, KubeObject, Pod, ResourceV1ResourceClaim } from "../../../../src/api/mod.ts";
import type { ExtendedDevices } from "../../../../src/rules/mod.ts";
import { Indexer, Lister, NAMESPACE_INDEX, namespaceOf } from "../../../../src/cache/mod.ts";
import { cachedDevices } from "../../../../src/controllers/resourcequota/cached_devices.ts";
import { pod } from "./fixtures.ts";

function informer<T extends KubeObject>(objects: readonly T[]) {
  const indexer = new Indexer<T>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
  for (const object of objects) indexer.add(object);
  return {
    indexer,
    lister: new Lister(indexer),
    hasIndexer: indexer.hasIndexer.bind(indexer),
    addIndexers: indexer.addIndexers.bind(indexer),
  };
}

function devices(
  { classes = [], claims = [], pods = [] }: {
    classes?: readonly DeviceClass[];
    claims?: readonly ResourceV1ResourceClaim[];
    pods?: readonly Pod[];
  },
): ExtendedDevices {
  return cachedDevices({ classes: informer(classes), claims: informer(claims), pods: informer(pods) });
}

/** A claim that the scheduler made for the pod with this uid, or one that somebody else made for it. */
function claimFor(podUid: string, name: string, { namespace = "a", isExtended = true } = {}): ResourceV1ResourceClaim {
  return {
    metadata: {
      namespace,
      name,
      annotations: isExtended ? { "resource.kubernetes.io/extended-resource-claim": "true" } : {},
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: podUid, controller: true }],
    },
    spec: {},
  };
}

Deno.test("cachedDevices knows classes, and the extended resources that some of them stand in for", () => {
  const known = devices({
    classes: [
      { metadata: { name: "gpu" }, spec: { extendedResourceName: "example.com/gpu" } },
      { metadata: { name: "plain" }, spec: {} },
    ],
  });
  assertEquals(["gpu", "plain", "none"].map(known.hasClass), [true, true, false]);
  assertEquals(["gpu", "plain", "none"].map(known.resourceOf), ["example.com/gpu", undefined, undefined]);
  assertEquals(["example.com/gpu", "example.com/nic", ""].map(known.standsInFor), [true, false, false]);
});

Deno.test("cachedDevices finds pods by namespace and name", () => {
  const known = devices({ pods: [pod("p")] });
  assertEquals([known.pod("a", "p")?.metadata?.name, known.pod("b", "p")], ["p", undefined]);
});

Deno.test("cachedDevices finds the claims that were made for a pod's extended resources, in its namespace", () => {
  const known = devices({
    claims: [
      claimFor("1", "x"),
      claimFor("1", "y"),
      claimFor("2", "of another pod"),
      claimFor("1", "of another namespace", { namespace: "b" }),
      claimFor("1", "of the pod itself", { isExtended: false }),
    ],
  });
  assertEquals(known.claimsFor("a", "1").map(({ metadata }) => metadata?.name).sort(), ["x", "y"]);
});
