import { assertEquals } from "@std/assert";
import {
  amountsText,
  hasPodLevelResources,
  podLimits,
  podRequests,
  type PodResourceOptions,
} from "../../../src/rules/mod.ts";
import { type Container, type Pod, type PodSpec } from "../../../src/api/mod.ts";

const asking = (name: string, cpu: string, more: Partial<Container> = {}): Container => ({
  name,
  resources: { requests: { cpu }, limits: { cpu } },
  ...more,
});
const sidecar = (name: string, cpu: string) => asking(name, cpu, { restartPolicy: "Always" });

const SPECS: readonly { readonly what: string; readonly spec: Partial<PodSpec>; readonly cpu: string }[] = [
  { what: "the sum of containers", spec: { containers: [asking("a", "1"), asking("b", "250m")] }, cpu: "1250m" },
  {
    what: "the largest init container where that is more",
    spec: { initContainers: [asking("i", "2"), asking("j", "3")], containers: [asking("a", "1")] },
    cpu: "3",
  },
  {
    what: "sidecars with the containers",
    spec: { initContainers: [sidecar("s", "1")], containers: [asking("a", "1")] },
    cpu: "2",
  },
  {
    what: "an init container with the sidecars that run beside it",
    spec: { initContainers: [sidecar("s", "1"), asking("i", "5"), sidecar("t", "1")], containers: [asking("a", "1")] },
    cpu: "6",
  },
  {
    what: "what is set for the whole pod instead",
    spec: { resources: { requests: { cpu: "4" }, limits: { cpu: "4" } }, containers: [asking("a", "1")] },
    cpu: "4",
  },
  { what: "overhead on top", spec: { overhead: { cpu: "100m" }, containers: [asking("a", "1")] }, cpu: "1100m" },
];

for (const { what, spec, cpu } of SPECS) {
  Deno.test(`podRequests and podLimits count ${what}`, () => {
    const pod: Pod = { spec: { containers: [], ...spec } };
    assertEquals(amountsText(podRequests(pod)), `cpu=${cpu}`);
    assertEquals(amountsText(podLimits(pod)), `cpu=${cpu}`);
  });
}

Deno.test("podRequests leaves overhead out where it is asked to, podLimits where no limit is set", () => {
  const spec: PodSpec = { overhead: { cpu: "1", memory: "1Gi" }, containers: [asking("a", "1")] };
  assertEquals(amountsText(podRequests({ spec }, { excludesOverhead: true })), "cpu=1");
  assertEquals(amountsText(podRequests({ spec })), "cpu=2,memory=1Gi");
  assertEquals(amountsText(podLimits({ spec })), "cpu=2");
  assertEquals(amountsText(podLimits({ spec }, { excludesOverhead: true })), "cpu=1");
});

Deno.test("podRequests counts what the node reports during a resize, unless the node cannot do it", () => {
  const status = { image: "i", imageID: "i", ready: true, restartCount: 0 };
  const pod: Pod = {
    spec: { containers: [asking("a", "3")] },
    status: {
      containerStatuses: [{
        ...status,
        name: "a",
        allocatedResources: { cpu: "2" },
        resources: { requests: { cpu: "1" } },
      }],
    },
  };
  const read = (each: Pod, options: PodResourceOptions) => amountsText(podRequests(each, options));
  assertEquals(read(pod, {}), "cpu=3");
  assertEquals(read(pod, { usesStatus: true }), "cpu=3");
  const pending = { type: "PodResizePending", status: "True", reason: "Infeasible" };
  assertEquals(read({ ...pod, status: { ...pod.status, conditions: [pending] } }, { usesStatus: true }), "cpu=2");
  const shrinking: Pod = { ...pod, spec: { containers: [asking("a", "500m")] } };
  assertEquals(read(shrinking, { usesStatus: true }), "cpu=2");
  assertEquals(amountsText(podLimits(shrinking, { usesStatus: true })), "cpu=500m");
});

Deno.test("hasPodLevelResources only knows what can be set for a pod as a whole", () => {
  const withRequests = (requests: Record<string, string>): Pod => ({
    spec: { containers: [], resources: { requests } },
  });
  assertEquals(hasPodLevelResources(withRequests({ cpu: "1" })), true);
  assertEquals(hasPodLevelResources(withRequests({ "hugepages-2Mi": "4Mi" })), true);
  assertEquals(hasPodLevelResources(withRequests({ "ephemeral-storage": "1" })), false);
  assertEquals(hasPodLevelResources({}), false);
});
