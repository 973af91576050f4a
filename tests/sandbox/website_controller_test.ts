/** The README's controller: it is what the README shows, and it works. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Cluster } from "kubeloop";
import { CUSTOMRESOURCEDEFINITIONS, DEPLOYMENTS, LEASES } from "../../src/api/mod.ts";
import { EmbeddedCluster } from "./embedded_cluster.ts";
import { WEBSITES, websites } from "./website_controller.ts";

Deno.test("the README shows this controller", async () => {
  const source = await Deno.readTextFile(new URL("website_controller.ts", import.meta.url));
  assertStringIncludes(await Deno.readTextFile(new URL("../../README.md", import.meta.url)), source.trim());
});

Deno.test("a controller of one's own makes its child, follows it, and reports in the status", async () => {
  await using embedded = await EmbeddedCluster.start();
  const { plural, group, kind, version } = WEBSITES;
  await embedded.client.create(CUSTOMRESOURCEDEFINITIONS, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      }],
    },
  });
  const stop = new AbortController();
  const cluster = Cluster.of((request) => embedded.apiServer.fetch(request), { world: embedded.world });
  const running = cluster.run([websites], {
    signal: stop.signal,
    leaderElection: { namespace: "default", name: "websites" },
  });
  const kit = await embedded.namespace("sites");
  await kit.create(WEBSITES, {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: "shop" },
    spec: { image: "nginx:1", replicas: 2 },
  });
  await kit.until(WEBSITES, "shop", "reports two ready pods", (site) => site.status?.ready === 2);
  await kit.merge(WEBSITES, "shop", { spec: { replicas: 3 } });
  await kit.until(WEBSITES, "shop", "reports three ready pods", (site) => site.status?.ready === 3);
  await kit.delete(DEPLOYMENTS, "shop");
  const again = await kit.until(
    WEBSITES,
    "shop",
    "has its child again",
    async (site) => await kit.find(DEPLOYMENTS, "shop") && site.status?.ready === 3,
  );
  assertEquals(again.status?.ready, 3);
  await kit.delete(WEBSITES, "shop");
  await kit.untilGone(DEPLOYMENTS, "shop");
  stop.abort();
  let hasEnded = false;
  void running.then(() => hasEnded = true);
  await embedded.eventually("the controller has ended", () => Promise.resolve(hasEnded));
  const lease = await embedded.client.get(LEASES, { namespace: "default", name: "websites" });
  assertEquals(lease.spec?.holderIdentity, "", "the lease was released");
});
