import { assertEquals, assertStrictEquals } from "@std/assert";
import { type Pod, PODS } from "../../src/api/mod.ts";
import { project } from "../../src/cache/mod.ts";
import { pod, rig } from "./cache_fixtures.ts";

function bigPod(): Pod {
  const containers = [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }, { name: "d" }];
  return { ...pod("a"), spec: { nodeName: "n", containers, volumes: [{ name: "v" }] }, status: { phase: "Running" } };
}

Deno.test("project keeps apiVersion, kind, metadata and the fields named, through arrays", () => {
  const { apply } = project(PODS, ["spec.containers.name", "spec.nodeName", "status.reason"]);
  assertEquals(apply(bigPod()), {
    ...pod("a"),
    spec: { nodeName: "n", containers: [{ name: "c" }, { name: "d" }] },
    status: {},
  });
});

Deno.test("project keeps everything below a field, whichever of two overlapping paths comes first", () => {
  for (const fields of [["spec", "spec.nodeName"], ["spec.nodeName", "spec"]]) {
    assertEquals(project(PODS, fields).apply(bigPod()), { ...pod("a"), spec: bigPod().spec });
  }
});

Deno.test("project leaves absent fields absent", () => {
  assertEquals(project(PODS, ["spec.nodeName", "status"]).apply(pod("a")), pod("a"));
});

Deno.test("project is idempotent", () => {
  const { apply } = project(PODS, ["spec.containers.resources"]);
  assertEquals(apply(apply(bigPod())), apply(bigPod()));
});

Deno.test("project takes a function as it is", () => {
  const apply = (object: Pod) => object;
  assertStrictEquals(project(PODS, apply).apply, apply);
});

Deno.test("SharedInformer applies its projection before its transform", async () => {
  const { apply } = project(PODS, ["spec.nodeName"]);
  await using it = rig({ projection: apply });
  it.informer.setTransform((object) => ({ ...object, status: { message: JSON.stringify(object.spec) } }));
  it.start();
  await it.source.list([bigPod()], 1);
  await it.settle();
  assertEquals(it.informer.lister.get("ns", "a")?.status, { message: '{"nodeName":"n"}' });
});
