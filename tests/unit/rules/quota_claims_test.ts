/** Claims of devices that stand in for extended resources. */
import { assertEquals } from "@std/assert";
import { amountsText, type ExtendedDevices, quotaEvaluator } from "../../../src/rules/mod.ts";
import { type KubeObject, type Pod, RESOURCECLAIMS, type ResourceV1ResourceClaim } from "../../../src/api/mod.ts";
import { container, type Loose, pod } from "../controllers/resourcequota/fixtures.ts";

const COUNT = "count/resourceclaims.resource.k8s.io=1";
const DEVICES = "gpu.deviceclass.resource.k8s.io/devices";
const IMPLICIT = "requests.deviceclass.resource.kubernetes.io/gpu";
const EXTENDED = "requests.example.com/gpu";

/** A class `gpu` for `example.com/gpu`, a class `plain` for nothing, and these pods and claims. */
function devices(pods: readonly Pod[] = [], claims: readonly ResourceV1ResourceClaim[] = []): ExtendedDevices {
  return {
    hasClass: (name) => ["gpu", "plain"].includes(name),
    resourceOf: (name) => name === "gpu" ? "example.com/gpu" : undefined,
    standsInFor: (resource) => resource === "example.com/gpu",
    pod: (_namespace, name) => pods.find(({ metadata }) => metadata?.name === name),
    claimsFor: () => claims,
  };
}

function claim(name: string, count: number, metadata: Loose = {}): Loose {
  const exactly = { deviceClassName: "gpu", allocationMode: "ExactCount", count };
  return { metadata: { namespace: "a", name, ...metadata }, spec: { devices: { requests: [{ name: "r", exactly }] } } };
}

const made = (name: string, count: number, metadata: Loose = {}) =>
  claim(name, count, {
    annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "p", controller: true }],
    creationTimestamp: "2026-01-01T00:00:00Z",
    ...metadata,
  });

const usage = (of: KubeObject, known: ExtendedDevices | undefined) =>
  amountsText(quotaEvaluator(RESOURCECLAIMS, { devices: known }).usage(of, 0));

const asking = (count: string, status: Loose = {}) => pod("p", [container({ "example.com/gpu": count })], { status });

const WHOLE = `${COUNT},${DEVICES}=3,${IMPLICIT}=3,${EXTENDED}=3`;

Deno.test("quotaEvaluator counts a claim as the extended resources that its devices stand in for", () => {
  assertEquals(usage(claim("c", 3), undefined), `${COUNT},${DEVICES}=3`);
  assertEquals(usage(claim("c", 3), devices()), WHOLE);
});

const OWNED: readonly (readonly [what: string, claim: Loose, pods: Pod[], others: Loose[], used: string])[] = [
  [
    "whose pod counts for two of them",
    made("c", 3),
    [asking("2")],
    [],
    `${COUNT},${DEVICES}=3,${IMPLICIT}=3,${EXTENDED}=1`,
  ],
  ["whose pod counts for all of them", made("c", 3), [asking("3")], [], `${COUNT},${DEVICES}=3,${IMPLICIT}=3`],
  ["whose pod is gone", made("c", 3), [], [], WHOLE],
  [
    "whose pod was replaced",
    made("c", 3),
    [pod("p", [container({ "example.com/gpu": "2" })], { uid: "q" })],
    [],
    WHOLE,
  ],
  ["whose pod has ended", made("c", 3), [asking("2", { phase: "Failed" })], [], WHOLE],
  ["without the annotation", made("c", 3, { annotations: {} }), [asking("3")], [], WHOLE],
  [
    "whose pod names another",
    made("c", 3),
    [asking("3", { extendedResourceClaimStatus: { resourceClaimName: "d" } })],
    [],
    WHOLE,
  ],
  [
    "that its pod names",
    made("c", 3),
    [asking("3", { extendedResourceClaimStatus: { resourceClaimName: "c" } })],
    [made("b", 1)],
    `${COUNT},${DEVICES}=3,${IMPLICIT}=3`,
  ],
  [
    "beside an older one",
    made("c", 3),
    [asking("3")],
    [made("d", 1, { creationTimestamp: "2025-01-01T00:00:00Z" })],
    WHOLE,
  ],
  ["beside one of a lower name", made("c", 3), [asking("3")], [made("b", 1)], WHOLE],
  ["beside one of a higher name", made("c", 3), [asking("3")], [made("d", 1)], `${COUNT},${DEVICES}=3,${IMPLICIT}=3`],
];

for (const [what, of, pods, others, used] of OWNED) {
  Deno.test(`quotaEvaluator counts a claim ${what} for what the pod does not count for`, () => {
    assertEquals(usage(of, devices(pods, [of, ...others])), used);
  });
}

const MEASURED: readonly (readonly [name: string, known: boolean, measured: boolean])[] = [
  ["count/resourceclaims.resource.k8s.io", false, true],
  [DEVICES, false, true],
  [EXTENDED, true, true],
  [EXTENDED, false, false],
  ["requests.example.com/other", true, false],
  ["example.com/gpu", true, false],
  ["requests.deviceclass.resource.kubernetes.io/plain", true, true],
  ["requests.deviceclass.resource.kubernetes.io/none", true, false],
];

for (const [name, known, measured] of MEASURED) {
  Deno.test(`quotaEvaluator measures ${name} on claims ${known ? "" : "without known classes"}: ${measured}`, () => {
    const evaluator = quotaEvaluator(RESOURCECLAIMS, { devices: known ? devices() : undefined });
    assertEquals(evaluator.measures(name), measured);
  });
}
