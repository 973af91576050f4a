import { connect, controllerFor, defineResource } from "kubeloop";
import { DEPLOYMENTS, type KubeObject } from "kubeloop/api";

interface WebSite extends KubeObject {
  spec: { image: string; replicas: number };
  status?: { ready: number };
}
export const WEBSITES = defineResource<WebSite>({ group: "example.com", version: "v1", kind: "WebSite" });

export const websites = controllerFor(WEBSITES).owns(DEPLOYMENTS).reconcile(async (site, context) => {
  const labels = { site: site.metadata!.name! };
  const web = await context.apply(DEPLOYMENTS, {
    metadata: { name: site.metadata!.name },
    spec: {
      replicas: site.spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: site.spec.image }] } },
    },
  });
  await context.setStatus({ ready: web.status?.readyReplicas ?? 0 });
});

if (import.meta.main) {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(name, () => stop.abort());
  using cluster = await connect();
  await cluster.run([websites], { signal: stop.signal });
}
