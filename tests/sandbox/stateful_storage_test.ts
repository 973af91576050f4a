/** A StatefulSet with volumes in an embedded cluster: the whole manager, nodes, scheduler and storage, on a virtual clock. */
import { withTestCluster } from "kubeloop/testing";
import { PERSISTENTVOLUMECLAIMS, STATEFULSETS } from "../../src/api/mod.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";
import { liveWithStorage } from "../scenarios/stateful_storage.ts";

Deno.test("a StatefulSet gets volumes that are bound, attached, resized and deleted with it", () =>
  withTestCluster({ nodes: 2 }, async (cluster) => {
    const namespace = await cluster.namespace("shop");
    const kit = kitOf(cluster, namespace);
    await liveWithStorage(kit, {
      apply: (manifest) => cluster.apply(manifest, { namespace }),
      scale: (replicas) => kit.merge(STATEFULSETS, "db", { spec: { replicas } }),
      resize: (claim, storage) =>
        kit.merge(PERSISTENTVOLUMECLAIMS, claim, { spec: { resources: { requests: { storage } } } }),
      delete: () => kit.delete(STATEFULSETS, "db"),
    });
  }));
