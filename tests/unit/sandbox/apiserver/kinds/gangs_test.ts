/** What groups of pods and workloads keep of a feature that is turned off. */
import { assertEquals } from "@std/assert";
import { MemoryBackend } from "../../../../../src/sandbox/storage/mod.ts";
import { Harness } from "../harness.ts";

const CLAIMS = [{ name: "x", resourceClaimName: "c" }];
const AT = "/apis/scheduling.k8s.io/v1alpha2/namespaces/a";
const POLICY = { schedulingPolicy: { basic: {} } };

/** Stores `bodies` where groups share claims; what comes back is the same server later, where they do not. */
async function withoutClaims(collection: string, bodies: readonly object[]): Promise<Harness> {
  const backend = new MemoryBackend();
  const before = new Harness({ backend, featureGates: { GenericWorkload: true, DRAWorkloadResourceClaims: true } });
  await before.namespace("a");
  for (const body of bodies) assertEquals((await before.post(`${AT}/${collection}`, body)).status, 201);
  return new Harness({ backend, featureGates: { GenericWorkload: true } });
}

Deno.test("groups keep the claims and their names that they had when the feature was turned off", async () => {
  using server = await withoutClaims("podgroups", [
    { metadata: { name: "with" }, spec: { ...POLICY, resourceClaims: CLAIMS } },
    { metadata: { name: "without" }, spec: POLICY },
  ]);
  const resourceClaimStatuses = [{ name: "x", resourceClaimName: "c-1" }];
  for (const [name, had] of [["with", true], ["without", false]] as const) {
    const at = `${AT}/podgroups/${name}`;
    const { body } = await server.patch(at, { spec: { resourceClaims: CLAIMS } });
    assertEquals(body.spec.resourceClaims, had ? CLAIMS : undefined);
    const told = await server.patch(`${at}/status`, { status: { resourceClaimStatuses } });
    assertEquals(told.body.status.resourceClaimStatuses, had ? resourceClaimStatuses : undefined);
  }
});

Deno.test("templates of workloads keep the claims that they had when the feature was turned off", async () => {
  const workload = (second: object) => ({
    metadata: { name: "w" },
    spec: {
      podGroupTemplates: [{ name: "f", ...POLICY, resourceClaims: CLAIMS }, { name: "g", ...POLICY, ...second }],
    },
  });
  using server = await withoutClaims("workloads", [workload({})]);
  const { body } = await server.put(`${AT}/workloads/w`, workload({ resourceClaims: CLAIMS }));
  const claims = body.spec.podGroupTemplates.map((each: { resourceClaims?: unknown }) => each.resourceClaims);
  assertEquals(claims, [CLAIMS, undefined]);
});
