/** Definitions of the kind that clusters are full of: certificates, monitors, rollouts. */
import type { CustomResourceDefinition, JSONSchemaProps } from "../../../../../src/api/mod.ts";

const text: JSONSchemaProps = { type: "string" };
const count: JSONSchemaProps = { type: "integer", format: "int32", minimum: 0 };
const labels: JSONSchemaProps = { type: "object", additionalProperties: text };

const conditions: JSONSchemaProps = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  items: {
    type: "object",
    required: ["type", "status"],
    properties: {
      type: { type: "string", maxLength: 316 },
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      lastTransitionTime: { type: "string", format: "date-time" },
      reason: text,
      message: text,
      observedGeneration: { type: "integer", format: "int64" },
    },
  },
};

const selector: JSONSchemaProps = {
  type: "object",
  "x-kubernetes-map-type": "atomic",
  properties: {
    matchLabels: labels,
    matchExpressions: {
      type: "array",
      items: {
        type: "object",
        required: ["key", "operator"],
        properties: { key: text, operator: text, values: { type: "array", items: text } },
      },
    },
  },
};

/** Issues certificates for names; one version, a status, columns that look for a condition. */
export const CERTIFICATES: CustomResourceDefinition = {
  metadata: { name: "certificates.pki.example.com" },
  spec: {
    group: "pki.example.com",
    scope: "Namespaced",
    names: { plural: "certificates", kind: "Certificate", shortNames: ["cert", "certs"], categories: ["pki"] },
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      subresources: { status: {} },
      additionalPrinterColumns: [
        { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        { name: "Secret", type: "string", jsonPath: ".spec.secretName" },
        { name: "Issuer", type: "string", jsonPath: ".spec.issuerRef.name", priority: 1 },
        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
      ],
      selectableFields: [{ jsonPath: ".spec.secretName" }],
      schema: {
        openAPIV3Schema: {
          type: "object",
          required: ["spec"],
          properties: {
            apiVersion: text,
            kind: text,
            metadata: { type: "object" },
            spec: {
              type: "object",
              required: ["secretName", "issuerRef"],
              properties: {
                secretName: { type: "string", minLength: 1, maxLength: 253 },
                commonName: { type: "string", maxLength: 64 },
                dnsNames: { type: "array", items: text, "x-kubernetes-list-type": "set" },
                duration: { type: "string", default: "2160h" },
                isCA: { type: "boolean" },
                issuerRef: {
                  type: "object",
                  required: ["name"],
                  properties: { name: text, kind: { type: "string", default: "Issuer" }, group: text },
                },
                privateKey: {
                  type: "object",
                  default: {},
                  properties: {
                    algorithm: { type: "string", enum: ["RSA", "ECDSA", "Ed25519"], default: "RSA" },
                    size: { type: "integer", minimum: 256, maximum: 8192, multipleOf: 64 },
                    rotationPolicy: { type: "string", enum: ["Never", "Always"], nullable: true },
                  },
                },
                usages: { type: "array", items: { type: "string", pattern: "^[a-z]+( [a-z]+)*$" } },
              },
            },
            status: {
              type: "object",
              properties: {
                conditions,
                notAfter: { type: "string", format: "date-time" },
                revision: { type: "integer" },
              },
            },
          },
        },
      },
    }],
  },
};

const portOrNumber: JSONSchemaProps = {
  "x-kubernetes-int-or-string": true,
  anyOf: [{ type: "integer" }, { type: "string" }],
};

/** Says what is to be scraped; exclusive ways to write a thing, texts with a form. */
export const SERVICE_MONITORS: CustomResourceDefinition = {
  metadata: { name: "servicemonitors.metrics.example.com" },
  spec: {
    group: "metrics.example.com",
    scope: "Namespaced",
    names: { plural: "servicemonitors", kind: "ServiceMonitor", shortNames: ["smon"] },
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: "object",
          required: ["spec"],
          properties: {
            spec: {
              type: "object",
              required: ["selector", "endpoints"],
              properties: {
                jobLabel: text,
                selector,
                namespaceSelector: {
                  type: "object",
                  properties: { any: { type: "boolean" }, matchNames: { type: "array", items: text } },
                  oneOf: [{ required: ["any"] }, { required: ["matchNames"] }],
                },
                sampleLimit: { type: "integer", format: "int64", minimum: 0, exclusiveMinimum: true },
                endpoints: {
                  type: "array",
                  minItems: 1,
                  maxItems: 8,
                  items: {
                    type: "object",
                    properties: {
                      port: text,
                      targetPort: portOrNumber,
                      path: { type: "string", pattern: "^/" },
                      scheme: { type: "string", enum: ["http", "https"], default: "http" },
                      interval: {
                        type: "string",
                        pattern:
                          "^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$",
                      },
                      params: { type: "object", additionalProperties: { type: "array", items: text } },
                    },
                    not: { required: ["port", "targetPort"] },
                  },
                },
              },
            },
          },
        },
      },
    }],
  },
};

const rolloutSchema: JSONSchemaProps = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["selector", "template"],
      properties: {
        replicas: { ...count, default: 1 },
        selector,
        paused: { type: "boolean" },
        template: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        resource: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
        strategy: {
          type: "object",
          minProperties: 1,
          maxProperties: 1,
          properties: {
            canary: {
              type: "object",
              properties: {
                maxSurge: { ...portOrNumber, default: "25%" },
                steps: {
                  type: "array",
                  items: {
                    type: "object",
                    properties: {
                      setWeight: { type: "integer", minimum: 0, maximum: 100 },
                      pause: { type: "object", properties: { duration: portOrNumber } },
                    },
                  },
                },
              },
            },
            blueGreen: { type: "object", required: ["activeService"], properties: { activeService: text } },
          },
        },
      },
    },
    status: {
      type: "object",
      properties: { replicas: count, readyReplicas: count, selector: text, phase: text, conditions },
    },
  },
};

/** Rolls out pods step by step; scales, and has been in use since before its schema was. */
export const ROLLOUTS: CustomResourceDefinition = {
  metadata: { name: "rollouts.delivery.example.com" },
  spec: {
    group: "delivery.example.com",
    scope: "Namespaced",
    names: { plural: "rollouts", singular: "rollout", kind: "Rollout", shortNames: ["ro"], categories: ["all"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: rolloutSchema },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.replicas",
            statusReplicasPath: ".status.replicas",
            labelSelectorPath: ".status.selector",
          },
        },
        additionalPrinterColumns: [
          { name: "Desired", type: "integer", jsonPath: ".spec.replicas" },
          { name: "Ready", type: "integer", jsonPath: ".status.readyReplicas" },
        ],
      },
      {
        name: "v1alpha1",
        served: true,
        storage: false,
        deprecated: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

/** A definition of `widgets.example.com` whose schema has these properties in `spec`. */
export function widgets(properties: Record<string, JSONSchemaProps>, version: object = {}): CustomResourceDefinition {
  return {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", shortNames: ["wd"] },
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
        ...version,
      }],
    },
  };
}
