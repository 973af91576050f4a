import { startTestCluster } from "kubeloop";
import { WEBSITES, websites } from "./website_controller.ts";
import { WEBSITE_DEFINITION } from "./website_definition.ts";

Deno.test("a web site reports its ready pods", async () => {
  await using cluster = await startTestCluster({ controllers: [websites], manifests: [WEBSITE_DEFINITION] });
  await cluster.apply(`
    apiVersion: example.com/v1
    kind: WebSite
    metadata: { name: shop }
    spec: { image: nginx:1, replicas: 2 }
  `);
  await cluster.eventually("two pods are ready", async () => {
    const site = await cluster.client.get(WEBSITES, { namespace: "default", name: "shop" });
    return site.status?.ready === 2;
  });
});
