import { assertEquals } from "@std/assert";
import { ENDPOINTSLICES, type KubeObject, NODES, PODS, type Resource, SERVICES } from "../../../../src/api/mod.ts";
import { FakeWorld } from "../../../../src/base/mod.ts";
import type { Controller } from "../../../../src/controllers/mod.ts";
import { ENDPOINTSLICE_CONTROLLER } from "../../../../src/controllers/endpointslice/mod.ts";
import { fakeContext } from "../context.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { IndexedInformer } from "../indexed_informer.ts";
import { RecordedClient } from "../recorded_client.ts";
import { node, pods, service } from "./service_rig.ts";

Deno.test("a start syncs a Service once, however many pods and slices it has", async () => {
  const world = new FakeWorld();
  const client = new RecordedClient(world);
  const slice = {
    metadata: {
      namespace: "a",
      name: "web-1",
      labels: {
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
      },
    },
    addressType: "IPv4",
    endpoints: [],
  };
  const informers: (readonly [Resource, IndexedInformer<KubeObject>])[] = [
    [SERVICES, new IndexedInformer<KubeObject>({ objects: [service()] })],
    [PODS, new IndexedInformer<KubeObject>({ objects: pods(40) })],
    [NODES, new IndexedInformer<KubeObject>({ objects: [node(0), node(1), node(2)] })],
    [ENDPOINTSLICES, new IndexedInformer<KubeObject>({ objects: client.store(ENDPOINTSLICES, slice) })],
  ];
  const syncs: string[] = [];
  const journal = { record: ({ kind, key }: { kind?: string; key: string }) => void (kind && syncs.push(key)) };
  const context = { ...fakeContext({ world, client, informers, journal }), recorder: () => new FakeRecorder() };
  const controller = ENDPOINTSLICE_CONTROLLER.build(context, { workers: 5, mostEndpoints: 100, batchPeriodMs: 0 });
  const stop = new AbortController();
  const running = (controller as Controller).run(stop.signal);
  await world.clock.advance(10_000);
  assertEquals(syncs, ["a/web"]);
  stop.abort();
  await running;
});
