import { assertEquals } from "@std/assert";
import v8 from "node:v8";
import vm from "node:vm";
import { controllerIndexOf, nodeNameOf } from "../../../src/cache/mod.ts";
import { podFrames } from "../../bench/realistic_pod.ts";
import { rig } from "./fixtures.ts";

const COUNT = 4000;
const PAGE = 500;
const LIMIT_BYTES = 6 * 1024;

v8.setFlagsFromString("--expose-gc");
const collectGarbage: () => void = vm.runInNewContext("gc");

function heapBytes(): number {
  collectGarbage();
  return v8.getHeapStatistics().used_heap_size;
}

Deno.test("SharedInformer holds a pod of a Deployment, with the pod indexes, in at most 6 KiB of heap", async () => {
  await using it = rig({ indexers: { node: nodeNameOf, controller: controllerIndexOf } });
  it.start();
  const fill = async (resourceVersion: string) => {
    const replacement = it.source.sink.beginReplace();
    for (let from = 0; from < COUNT; from += PAGE) await replacement.events(podFrames(PAGE, { from }));
    await replacement.commit(resourceVersion);
    await it.settle();
  };
  await fill("1"); // so that code and shapes are not counted
  const replacement = it.source.sink.beginReplace();
  await replacement.commit("2");
  await it.settle();
  const emptyBytes = heapBytes();
  await fill("3");
  const podBytes = (heapBytes() - emptyBytes) / COUNT;
  assertEquals(it.informer.indexer.size, COUNT);
  assertEquals(podBytes > 2048 && podBytes <= LIMIT_BYTES, true, `a pod takes ${Math.round(podBytes)} bytes`);
});
