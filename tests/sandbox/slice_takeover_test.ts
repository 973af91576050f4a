/** No address is ever missing from a Service's slices while they are taken over, packed anew or filled. */
import { assert, assertEquals } from "@std/assert";
import { withTestCluster } from "kubeloop/testing";
import { type EndpointSlice, ENDPOINTSLICES, SERVICES } from "../../src/api/mod.ts";
import {
  addPods,
  addService,
  addSlice,
  ensureNodes,
  numberedEndpoints,
  numberedIp,
  SERVICE_NAME,
  sizesOf,
  untilEndpoints,
  untilSizes,
} from "../scenarios/slice_kit.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const FLAGS = ["--controllers=endpointslice-controller,serviceaccount-controller"];

/** Follows which addresses the slices of `web` hold; `lost` are those that were gone for a moment and should not have been. */
class Watch {
  readonly lost: string[] = [];
  readonly writes: string[] = [];
  readonly #slices = new Map<string, EndpointSlice>();
  readonly #wanted = new Set<string>();

  constructor(
    onWrite: (listener: (event: { type: string; collection: string; key: string; object: unknown }) => void) => void,
  ) {
    onWrite(({ type, collection, key, object }) => {
      const slice = object as EndpointSlice;
      if (collection !== "endpointslices.discovery.k8s.io" || slice.metadata?.labels?.[SERVICE_NAME] !== "web") return;
      this.writes.push(`${type} ${key}`);
      if (type === "DELETED") this.#slices.delete(key);
      else this.#slices.set(key, slice);
      const held = new Set(
        [...this.#slices.values()].flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses)),
      );
      for (const address of this.#wanted) if (!held.has(address)) this.lost.push(`${address} at ${type} ${key}`);
    });
  }

  /** From now on these pods' addresses are to be there at every moment. */
  want(count: number): void {
    for (let i = 0; i < count; i++) this.#wanted.add(numberedIp(i));
  }
}

Deno.test("half-filled slices of another manager are taken over without a moment in which an address is missing", () =>
  withTestCluster({ nodes: 0, flags: FLAGS }, async (cluster) => {
    const namespace = await cluster.namespace("scenario");
    const kit = kitOf(cluster, namespace);
    const watch = new Watch((listener) => cluster.apiServer.onWrite(listener));
    await ensureNodes(kit);
    await addPods(kit, 230);
    const service = await addService(kit, { selector: undefined });
    const endpoints = await numberedEndpoints(kit, 200);
    for (const [i, size] of [70, 65, 65].entries()) {
      await addSlice(kit, `web-${i}`, { service, endpoints: endpoints.splice(0, size) });
    }
    watch.want(200);
    await cluster.settle();
    const before = watch.writes.length;
    await kit.merge(SERVICES, "web", { spec: { selector: { app: "web" } } });
    await untilSizes(kit, [100, 65, 65]);
    assertEquals(watch.writes.slice(before), [`MODIFIED ${namespace}/web-0`], "one write, and none twice");
    await addPods(kit, 100, { from: 230 });
    await untilEndpoints(kit, 330);
    assertEquals(watch.lost, []);
  }));

Deno.test("a manager that starts with settled slices writes nothing", () =>
  withTestCluster({ nodes: 0, flags: FLAGS }, async (cluster) => {
    const namespace = await cluster.namespace("scenario");
    const kit = kitOf(cluster, namespace);
    await ensureNodes(kit);
    await addPods(kit, 150);
    await addService(kit, { trafficDistribution: "PreferSameNode" });
    await untilSizes(kit, [100, 50]);
    const versions = async () =>
      (await kit.list(ENDPOINTSLICES)).map(({ metadata }) => metadata?.resourceVersion).sort();
    const before = await versions();
    await cluster.crashManager();
    cluster.startManager();
    await cluster.advance(120_000);
    assertEquals(await versions(), before);
  }));

Deno.test("a slice that is given to somebody else is replaced in the end, though the cache never shows what was written", () =>
  withTestCluster({ nodes: 0, flags: FLAGS }, async (cluster) => {
    const namespace = await cluster.namespace("scenario");
    const kit = kitOf(cluster, namespace);
    await ensureNodes(kit);
    await addPods(kit, 3);
    await addService(kit);
    const [{ metadata }] = await untilEndpoints(kit, 3);
    await kit.merge(ENDPOINTSLICES, metadata!.name!, {
      metadata: { labels: { "endpointslice.kubernetes.io/managed-by": "somebody" } },
    });
    await cluster.advance(20 * 60_000);
    const slices = await kit.list(ENDPOINTSLICES);
    assertEquals(sizesOf(slices), [3, 3]);
    assert(cluster.managerWrites < 200);
  }));
