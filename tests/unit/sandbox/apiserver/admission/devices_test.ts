/** Quotas of extended resources for which devices stand in. */
import { assertEquals } from "@std/assert";
import { makeQuota, readyHarness, usedOf } from "./fixtures.ts";
import { type Harness, type Loose, PODS } from "../harness.ts";

const RESOURCE_CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
const COUNT = "count/resourceclaims.resource.k8s.io";
const DEVICES = "gpu.deviceclass.resource.k8s.io/devices";
const IMPLICIT = "requests.deviceclass.resource.kubernetes.io/gpu";
const EXTENDED = "requests.example.com/gpu";

async function harness(): Promise<Harness> {
  const api = await readyHarness();
  await api.post("/apis/resource.k8s.io/v1/deviceclasses", {
    metadata: { name: "gpu" },
    spec: { extendedResourceName: "example.com/gpu" },
  });
  await makeQuota(api, { [COUNT]: "9", [DEVICES]: "9", [IMPLICIT]: "9", [EXTENDED]: "4" });
  return api;
}

const claimOf = (name: string, count: number, metadata: Loose = {}): Loose => ({
  metadata: { name, ...metadata },
  spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu", count } }] } },
});

Deno.test("ResourceQuota charges a claim of devices as the extended resource that its class stands in for", async () => {
  using api = await harness();
  await api.post(RESOURCE_CLAIMS, claimOf("x", 3));
  assertEquals(await usedOf(api), { [COUNT]: "1", [DEVICES]: "3", [IMPLICIT]: "3", [EXTENDED]: "3" });
  const { body } = await api.post(RESOURCE_CLAIMS, claimOf("y", 2));
  assertEquals(
    body.message,
    'resourceclaims.resource.k8s.io "y" is forbidden: exceeded quota: q, ' +
      `requested: ${EXTENDED}=2, used: ${EXTENDED}=3, limited: ${EXTENDED}=4`,
  );
});

Deno.test("ResourceQuota does not charge again what the pod that a claim was made for counts for", async () => {
  using api = await harness();
  const resources = { requests: { "example.com/gpu": "2" }, limits: { "example.com/gpu": "2" } };
  const { body: pod } = await api.post(PODS, {
    metadata: { name: "p" },
    spec: { containers: [{ name: "c", image: "nginx:1", resources }] },
  });
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: pod.metadata.uid, controller: true };
  const annotations = { "resource.kubernetes.io/extended-resource-claim": "true" };
  await api.post(RESOURCE_CLAIMS, claimOf("x", 2, { annotations, ownerReferences: [owner] }));
  assertEquals(await usedOf(api), { [COUNT]: "1", [DEVICES]: "2", [IMPLICIT]: "2", [EXTENDED]: "2" });
});
