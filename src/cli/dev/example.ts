import type { Deployment, KubeObject, Service } from "../../api/mod.ts";

const DEPLOYMENT: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "nginx:1" }] },
    },
  },
};

const SERVICE: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default" },
  spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80 }] },
};

const BALANCED_SERVICE: Service = { ...SERVICE, spec: { ...SERVICE.spec, type: "LoadBalancer" } };

/** The example that is deployed by default. */
export const EXAMPLE: readonly KubeObject[] = [DEPLOYMENT, SERVICE];

/** The example for a cluster with a cloud. */
export const CLOUD_EXAMPLE: readonly KubeObject[] = [DEPLOYMENT, BALANCED_SERVICE];
