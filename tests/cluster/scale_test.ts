// deno-lint-ignore-file no-console -- it is there to print
/** Many pods through one informer: no long pause of the event loop, and little memory a pod. */
import { assert, assertEquals } from "@std/assert";
import { MemoryLogger, parallelize, systemWorld } from "../../src/base/mod.ts";
import { PODS } from "../../src/api/mod.ts";
import { InformerFactory, waitForCacheSync } from "../../src/cache/mod.ts";
import { eventually } from "../controlplane/process.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { orphanPod } from "../scenarios/kit.ts";

const PODS_MADE = Number(Deno.env.get("KUBELOOP_SCALE_PODS") ?? 5_000);
const PAUSE_LIMIT_MS = 100;
const HEAP_A_POD_LIMIT = 6 * 1024;

/** The longest time between two turns of the event loop while it runs. */
function watchPauses(): { stop(): number } {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 5);
    last = now;
  }, 5);
  return {
    stop: () => {
      clearInterval(timer);
      return longest;
    },
  };
}

function heapUsed(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return Deno.memoryUsage().heapUsed;
}

clusterTest(`an informer lists and caches ${PODS_MADE} pods in small steps`, async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await cluster.plane.kubectl(["create", "namespace", "many"]);
  await cluster.plane.kubectl(["create", "serviceaccount", "default", "-n", "many"]);
  await parallelize(32, PODS_MADE, async (i) => {
    const pod = orphanPod(`pod-${i}`, "many");
    pod.metadata!.annotations = { "example.com/note": `pod number ${i}` };
    pod.spec!.containers![0].env = Array.from(
      { length: 10 },
      (_, k) => ({ name: `VARIABLE_${k}`, value: `${i}-${k}` }),
    );
    await cluster.client.create(PODS, pod, { namespace: "many" });
  });
  const stop = new AbortController();
  const factory = new InformerFactory({ world: systemWorld(new MemoryLogger()), client: cluster.client });
  const informer = factory.informer(PODS);
  let added = 0;
  const registration = informer.addEventHandler({ onAdd: () => void added++ });
  const before = heapUsed();
  const pauses = watchPauses();
  factory.start(stop.signal);
  assert(await waitForCacheSync(stop.signal, informer, registration));
  const longestMs = pauses.stop();
  assertEquals(added, PODS_MADE);
  await eventually("the heap has settled", () => true, { everyMs: 200 });
  const perPod = (heapUsed() - before) / PODS_MADE;
  console.log(
    `${PODS_MADE} pods: longest pause ${longestMs.toFixed(0)} ms, ${(perPod / 1024).toFixed(2)} KiB of heap a pod`,
  );
  stop.abort();
  await factory.shutdown();
  // Timing depends on the machine: the figures are printed, and judged only where asked to.
  if (Deno.env.get("KUBELOOP_SCALE_JUDGE")) {
    assert(longestMs <= PAUSE_LIMIT_MS, `paused for ${longestMs} ms`);
    assert(perPod <= HEAP_A_POD_LIMIT, `${perPod} bytes a pod`);
  }
});
