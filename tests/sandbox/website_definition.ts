import type { KubeObject } from "kubeloop/api";

/** The custom resource that the README's controller is about. */
export const WEBSITE_DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "websites.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "websites", singular: "website", kind: "WebSite" },
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: {
              type: "object",
              properties: { image: { type: "string" }, replicas: { type: "integer", minimum: 0 } },
              required: ["image", "replicas"],
            },
            status: { type: "object", properties: { ready: { type: "integer" } } },
          },
        },
      },
    }],
  },
} satisfies KubeObject & { spec: unknown };
