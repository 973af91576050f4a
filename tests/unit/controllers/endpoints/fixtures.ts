import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import {
  ENDPOINTS,
  type Endpoints,
  type EndpointSubset,
  type Pod,
  PODS,
  type Service,
  SERVICES,
  type ServiceSpec,
} from "../../../../src/api/mod.ts";
import type { Controller } from "../../../../src/controllers/mod.ts";
import { ENDPOINTS_CONTROLLER } from "../../../../src/controllers/endpoints/mod.ts";
import { fakeContext } from "../context.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { RecordedClient } from "../recorded_client.ts";
import { FakeInformer } from "../garbage_collector/fake_informer.ts";
import { IndexedInformer } from "../indexed_informer.ts";

export const MANAGED = { "endpoints.kubernetes.io/managed-by": "endpoint-controller" };
export const TRIGGER = "endpoints.kubernetes.io/last-change-trigger-time";
export const OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";
export const CREATED = "2026-01-01T00:00:00Z";

/** A Service `a/s` of the pods labelled `app=a`, at port 80. */
export function service(
  spec: Partial<ServiceSpec> = {},
  { name = "s", labels }: { readonly name?: string; readonly labels?: Record<string, string> } = {},
): Service {
  return {
    metadata: { namespace: "a", name, uid: `uid-${name}`, resourceVersion: "5", creationTimestamp: CREATED, labels },
    spec: {
      type: "ClusterIP",
      clusterIP: "10.0.0.1",
      ipFamilies: ["IPv4"],
      selector: { app: "a" },
      ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: 80 }],
      ...spec,
    },
  };
}

interface PodParts {
  readonly ready?: boolean;
  readonly since?: string;
  readonly ips?: readonly string[];
  readonly deleting?: boolean;
  readonly phase?: string;
  readonly version?: string;
  readonly spec?: Partial<Pod["spec"]>;
}

/** A ready pod of `a` labelled `app=a` on a node. */
export function pod(
  name: string,
  { ready = true, since = CREATED, ips = ["10.1.0.1"], deleting, phase = "Running", version = "7", spec }: PodParts =
    {},
): Pod {
  const deletionTimestamp = deleting ? CREATED : undefined;
  return {
    metadata: {
      namespace: "a",
      name,
      uid: `uid-${name}`,
      resourceVersion: version,
      labels: { app: "a" },
      deletionTimestamp,
    },
    spec: { nodeName: "n", containers: [{ name: "c", image: "i" }], ...spec },
    status: {
      phase,
      podIP: ips[0],
      podIPs: ips.map((ip) => ({ ip })),
      conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: since }],
    },
  };
}

/** What Endpoints say of a pod. */
export function address(name: string, ip = "10.1.0.1") {
  return { ip, nodeName: "n", targetRef: { kind: "Pod", namespace: "a", name, uid: `uid-${name}` } };
}

export const HTTP = { name: "http", port: 80, protocol: "TCP" };

/** Endpoints as the controller leaves them. */
export function endpoints(subsets: EndpointSubset[], more: Partial<Endpoints["metadata"]> = {}): Endpoints {
  return { metadata: { namespace: "a", name: "s", labels: MANAGED, resourceVersion: "9", ...more }, subsets };
}

interface SetUp {
  readonly services?: readonly Service[];
  readonly pods?: readonly Pod[];
  readonly endpoints?: readonly Endpoints[];
  readonly batchPeriodMs?: number;
}

/** The controller on fake informers: caches show what tests put into them, and nothing that the controller writes. */
export function setUp({ services = [], pods = [], endpoints = [], batchPeriodMs = 0 }: SetUp = {}) {
  const world = new FakeWorld();
  const client = new RecordedClient(world);
  const recorder = new FakeRecorder();
  const serviceInformer = new IndexedInformer({ objects: services });
  const podInformer = new IndexedInformer({ objects: pods });
  const endpointsInformer = new FakeInformer<Endpoints>({ objects: client.store(ENDPOINTS, ...endpoints) });
  const informers = [
    [SERVICES, serviceInformer],
    [PODS, podInformer],
    [ENDPOINTS, endpointsInformer],
  ] as const;
  const context = { ...fakeContext({ world, client, informers }), recorder: () => recorder };
  const controller = ENDPOINTS_CONTROLLER.build(context, { workers: 5, batchPeriodMs }) as Controller;
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  return {
    world,
    client,
    recorder,
    services: serviceInformer,
    pods: podInformer,
    endpoints: endpointsInformer,
    /** The writes since it was last asked, once nothing more is to come for a moment. */
    writes: async (ms = 1) => {
      await world.clock.advance(ms);
      return client.calls.splice(0).map(({ text }) => text);
    },
    /** Shows the controller what it has written. */
    catchUp: () => {
      const stored = client.find(ENDPOINTS, "a/s");
      if (stored) endpointsInformer.add(stored);
    },
    stored: () => client.find(ENDPOINTS, "a/s")!,
    end: async () => {
      stop.abort();
      await running;
      assertEquals(world.clock.pendingTimers, 0);
    },
  };
}
