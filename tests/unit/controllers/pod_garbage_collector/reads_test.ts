import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { groupResource, type Node, NODES, type Pod, type Resource } from "../../../../src/api/mod.ts";
import { projection } from "../../../../src/cache/mod.ts";
import { buildPodGarbageCollector } from "../../../../src/controllers/pod_garbage_collector/controller.ts";
import { podsOutOfService } from "../../../../src/controllers/pod_garbage_collector/sync.ts";
import { fakeContext } from "../context.ts";
import { FakeInformer } from "../garbage_collector/fake_informer.ts";

Deno.test("what is kept of nodes tells that one that is out of service works again", () => {
  const kept = new Map<string, readonly string[] | undefined>();
  const informer = (resource: Resource, reads?: readonly string[]) => {
    kept.set(groupResource(resource), reads);
    return new FakeInformer();
  };
  const context = { ...fakeContext({ world: new FakeWorld(), client: {}, informers: [] }), informers: { informer } };
  buildPodGarbageCollector(context as unknown as Parameters<typeof buildPodGarbageCollector>[0], {
    terminatedPodThreshold: 0,
  });
  const node: Node = {
    metadata: { name: "n" },
    spec: { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }] },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  };
  const ending: Pod = {
    metadata: { name: "p", deletionTimestamp: "2026-01-01T00:00:00Z" },
    spec: { nodeName: "n", containers: [] },
  };
  const seen = projection<Node>(kept.get(groupResource(NODES))!)(node);
  assertEquals(podsOutOfService([ending], () => seen), []);
});
