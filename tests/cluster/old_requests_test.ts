/**
 * Old requests for certificates under upstream's manager and under ours, on a real API server. Upstream's cleaners look once, when they
 * start, and then an hour later: they start a few seconds behind the caches, so that there is something to see.
 */
import { NAMESPACES } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { makeOldRequests, untilOldRequestsAreGone } from "../scenarios/old_requests.ts";
import { Cluster, clusterTest } from "./cluster.ts";

const GATE = "--feature-gates=PodCertificateRequest=true";

clusterTest("Old requests are deleted by kubeloop as by upstream's manager, and no others", async () => {
  const apiserverFlags = [GATE, "--runtime-config=certificates.k8s.io/v1beta1/podcertificaterequests=true"];
  await using cluster = await Cluster.start({ nodes: 0, apiserverFlags });
  for (const kind of ["upstream", "kubeloop"] satisfies ManagerKind[]) {
    await cluster.client.create(NAMESPACES, { metadata: { name: kind } });
    const kit = cluster.kit(kind);
    await makeOldRequests(kit);
    const manager = await startManager(cluster.plane, kind, { flags: [GATE, "--controller-start-interval=15s"] });
    await untilOldRequestsAreGone(kit);
    await manager.process.stop();
    await dropLease(cluster.plane);
  }
});
