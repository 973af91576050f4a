import type { Deployment } from "../../api/mod.ts";

/** What is deployed so that there is something to see. */
export const EXAMPLE: Deployment = {
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
