import { type Capability, CAPABILITY_NAMES, type CloudDescription } from "../calls.ts";
import type { CloudErrorKind, CloudFailure } from "../errors.ts";
import type { Instances, LoadBalancers, Routes } from "../provider.ts";
import type { ObjectSchema, Schema } from "../schema.ts";
import type { ArgumentSchema, Holds, SameMethods, SameShape, TypeOf } from "./schema_types.ts";

/** A method of the protocol. The same rows check answers and document them. */
export interface WebhookMethod {
  readonly summary: string;
  /** Whether it does not change the cloud, so that it may be retried. */
  readonly isReading: boolean;
  /** In the order of `src/cloud/provider.ts`, without the signal. */
  readonly args: readonly (readonly [name: string, schema: ArgumentSchema])[];
  readonly result: Schema;
}

const NULL = { type: "null" } as const;
const TEXT = { type: "string" } as const;
const BOOLEAN = { type: "boolean" } as const;

const PORT = {
  type: "object",
  properties: {
    port: { type: "integer", minimum: 0, maximum: 65_535 },
    protocol: { type: "string", enum: ["TCP", "UDP", "SCTP"] },
    error: TEXT,
  },
  required: ["port", "protocol"],
} as const satisfies ObjectSchema;

const INGRESS = {
  type: "object",
  properties: {
    ip: { type: "string", format: "ip" },
    hostname: { type: "string", minLength: 1, maxLength: 253 },
    ipMode: { type: "string", enum: ["VIP", "Proxy"] },
    ports: { type: "array", items: PORT, maxItems: 1000 },
  },
} as const satisfies ObjectSchema;

const STATUS = {
  type: "object",
  description: "Where the load balancer is reached: status.loadBalancer of the Service.",
  properties: { ingress: { type: "array", items: INGRESS, maxItems: 1000 } },
} as const satisfies ObjectSchema;

const ADDRESS = {
  type: "object",
  properties: {
    type: { type: "string", enum: ["Hostname", "InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS"] },
    address: { type: "string", minLength: 1, maxLength: 253 },
  },
  required: ["type", "address"],
} as const satisfies ObjectSchema;
const ADDRESSES = { type: "array", items: ADDRESS, maxItems: 1000 } as const;

const METADATA = {
  type: "object",
  properties: {
    providerID: {
      ...TEXT,
      description: "Such as example://1234. Absent: the Node must have one. Empty: machines have none.",
    },
    instanceType: { type: "string", maxLength: 63 },
    nodeAddresses: ADDRESSES,
    zone: { type: "string", maxLength: 63 },
    region: { type: "string", maxLength: 63 },
    additionalLabels: {
      type: "object",
      additionalProperties: { type: "string", maxLength: 63 },
      maxProperties: 100,
      description: "Labels that the Node gets where it has none of that key.",
    },
  },
} as const satisfies ObjectSchema;

const ROUTE = {
  type: "object",
  properties: {
    name: TEXT,
    targetNode: { type: "string", maxLength: 253, description: "Empty if it leads to no Node that is known." },
    destinationCIDR: {
      type: "string",
      maxLength: 253,
      description: "As Kubernetes writes it, such as 10.0.1.0/24. A route whose destination is not a CIDR is ignored.",
    },
    enableNodeAddresses: BOOLEAN,
    targetNodeAddresses: ADDRESSES,
    blackhole: BOOLEAN,
  },
  required: ["targetNode", "destinationCIDR"],
} as const satisfies ObjectSchema;

const CLUSTER = ["clusterName", { type: "string", description: "--cluster-name" }] as const;
const SERVICE = ["service", { type: "object", description: "A Service of v1." }] as const;
const NODE = ["node", {
  type: "object",
  description: "A Node of v1: metadata, spec, status.addresses and status.nodeInfo.",
}] as const;
const NODES = ["nodes", { type: "array", items: NODE[1] }] as const;
const balanced = [CLUSTER, SERVICE] as const;

/** All methods. */
const WEBHOOK_METHODS = {
  loadBalancers: {
    getLoadBalancer: {
      summary: "What there is for the Service; null if there is nothing.",
      isReading: true,
      args: balanced,
      result: { anyOf: [STATUS, NULL] },
    },
    ensureLoadBalancer: {
      summary: "Creates or updates the load balancer to match the Service. Must be idempotent.",
      isReading: false,
      args: [...balanced, NODES],
      result: STATUS,
    },
    updateLoadBalancer: {
      summary: "Makes the targets so, and nothing else.",
      isReading: false,
      args: [...balanced, NODES],
      result: NULL,
    },
    ensureLoadBalancerDeleted: {
      summary: "Removes every part of it. It is not an error if nothing is left.",
      isReading: false,
      args: balanced,
      result: NULL,
    },
  },
  instances: {
    instanceExists: {
      summary: "Whether the machine exists, running or not. A Node that is not ready is deleted where it does not.",
      isReading: true,
      args: [NODE],
      result: BOOLEAN,
    },
    instanceShutdown: {
      summary: "Whether the machine is stopped.",
      isReading: true,
      args: [NODE],
      result: BOOLEAN,
    },
    instanceMetadata: {
      summary: "What is known of the machine; null if nothing is for now.",
      isReading: true,
      args: [NODE],
      result: { anyOf: [METADATA, NULL] },
    },
  },
  routes: {
    listRoutes: {
      summary: "All routes that are there for the cluster, those that lead nowhere included.",
      isReading: true,
      args: [CLUSTER],
      result: { type: "array", items: ROUTE, maxItems: 50_000 },
    },
    createRoute: {
      summary: "Makes a route. An error of the kind conflict has it tried again at once.",
      isReading: false,
      args: [CLUSTER, ["nameHint", { type: "string", description: "The Node's UID." }], ["route", ROUTE]],
      result: NULL,
    },
    deleteRoute: {
      summary: "Removes a route, as it was listed.",
      isReading: false,
      args: [CLUSTER, ["route", ROUTE]],
      result: NULL,
    },
  },
} as const satisfies Record<Capability, Readonly<Record<string, WebhookMethod>>>;

/** The endpoint's description of itself. */
export const DESCRIBE = {
  summary: "What the provider is and does. Asked for once, when cloud-controller-manager starts.",
  isReading: true,
  args: [],
  result: {
    type: "object",
    properties: {
      name: {
        type: "string",
        pattern: /^[a-z0-9][a-z0-9.-]{0,62}$/,
        maxLength: 63,
        description: "The scheme of spec.providerID.",
      },
      hasClusterId: {
        ...BOOLEAN,
        description: "Whether it tells what belongs to this cluster from what belongs to others.",
      },
      capabilities: {
        type: "array",
        items: { type: "string", enum: CAPABILITY_NAMES },
        maxItems: CAPABILITY_NAMES.length,
      },
    },
    required: ["name", "hasClusterId", "capabilities"],
  },
} as const satisfies WebhookMethod;

const KINDS: Readonly<Record<CloudErrorKind | "other", true>> = {
  instanceNotFound: true,
  notImplemented: true,
  implementedElsewhere: true,
  conflict: true,
  retry: true,
  other: true,
};

/** An error that the endpoint reports in a well-formed answer. */
export const FAILURE = {
  type: "object",
  properties: {
    kind: { type: "string", enum: Object.keys(KINDS) as (keyof typeof KINDS)[] },
    message: { type: "string", maxLength: 65_536 },
    afterMs: {
      type: "integer",
      minimum: 0,
      maximum: 3_600_000,
      description: "Of the kind retry: when to ask again, in milliseconds; less than 100 counts as 100.",
    },
  },
  required: ["kind", "message"],
} as const satisfies ObjectSchema;

/** The rows have the shapes of what is written in TypeScript, or this does not compile. */
type _Same = [
  Holds<SameMethods<typeof WEBHOOK_METHODS["loadBalancers"], LoadBalancers>>,
  Holds<SameMethods<typeof WEBHOOK_METHODS["instances"], Instances>>,
  Holds<SameMethods<typeof WEBHOOK_METHODS["routes"], Routes>>,
  Holds<SameShape<TypeOf<typeof DESCRIBE["result"]>, CloudDescription>>,
  Holds<SameShape<TypeOf<typeof FAILURE>, CloudFailure>>,
];

/** The row of a method; `undefined` if there is none. */
export function webhookMethod(capability: Capability, method: string): WebhookMethod | undefined {
  const rows: Readonly<Record<string, WebhookMethod>> = WEBHOOK_METHODS[capability];
  return Object.hasOwn(rows, method) ? rows[method] : undefined;
}
