import { assertEquals } from "@std/assert";
import type { Pod } from "../../../src/api/mod.ts";
import { projection } from "../../../src/cache/mod.ts";
import { pod, rig } from "./fixtures.ts";

function bigPod(): Pod {
  const containers = [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }, { name: "d" }];
  return { ...pod("a"), spec: { nodeName: "n", containers, volumes: [{ name: "v" }] }, status: { phase: "Running" } };
}

Deno.test("projection keeps apiVersion, kind, metadata and the fields named, through arrays", () => {
  const apply = projection<Pod>(["spec.containers.name", "spec.nodeName", "status.reason"]);
  assertEquals(apply(bigPod()), {
    ...pod("a"),
    spec: { nodeName: "n", containers: [{ name: "c" }, { name: "d" }] },
    status: {},
  });
});

Deno.test("projection keeps everything below a field, whichever of two overlapping paths comes first", () => {
  for (const fields of [["spec", "spec.nodeName"], ["spec.nodeName", "spec"]]) {
    assertEquals(projection<Pod>(fields)(bigPod()), { ...pod("a"), spec: bigPod().spec });
  }
});

Deno.test("projection leaves absent fields absent", () => {
  assertEquals(projection<Pod>(["spec.nodeName", "status"])(pod("a")), pod("a"));
});

Deno.test("projection is idempotent", () => {
  const apply = projection<Pod>(["spec.containers.resources"]);
  assertEquals(apply(apply(bigPod())), apply(bigPod()));
});

Deno.test("SharedInformer applies its projection before its transform", async () => {
  const apply = projection<Pod>(["spec.nodeName"]);
  await using it = rig({ projection: apply });
  it.informer.setTransform((object) => ({ ...object, status: { message: JSON.stringify(object.spec) } }));
  it.start();
  await it.source.list([bigPod()], 1);
  await it.settle();
  assertEquals(it.informer.lister.get("ns", "a")?.status, { message: '{"nodeName":"n"}' });
});
