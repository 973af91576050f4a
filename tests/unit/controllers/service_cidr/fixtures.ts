import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import {
  formatTime,
  type IPAddress,
  IPADDRESSES,
  type KubeObject,
  type Resource,
  type ServiceCIDR,
  SERVICECIDRS,
} from "../../../../src/api/mod.ts";
import type { Controller } from "../../../../src/controllers/mod.ts";
import { SERVICE_CIDR_CONTROLLER } from "../../../../src/controllers/service_cidr/mod.ts";
import { fakeContext } from "../context.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { FakeInformer } from "../garbage_collector/fake_informer.ts";

export const FINALIZER = "networking.k8s.io/service-cidr-finalizer";
export const READY = { type: "Ready", status: "True", reason: "", message: "Kubernetes Service CIDR is ready" };
export const BLOCKED = {
  type: "Ready",
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
};
export const LONG_AGO = "2025-01-01T00:00:00Z";

interface CidrOptions {
  /** Seconds since it is being deleted. */
  readonly deletingFor?: number;
  readonly bare?: boolean;
}

/** When tests begin. */
const START_MS = new FakeWorld().clock.wallMs();

/** A ServiceCIDR as the controller leaves it, unless `bare`. */
export function cidr(name: string, cidrs: string[], { deletingFor, bare = false }: CidrOptions = {}): ServiceCIDR {
  const deletionTimestamp = deletingFor === undefined ? undefined : formatTime(START_MS - deletingFor * 1000);
  return {
    metadata: { name, deletionTimestamp, ...bare ? {} : { finalizers: [FINALIZER] } },
    spec: { cidrs },
    ...bare ? {} : { status: { conditions: [{ ...READY, lastTransitionTime: LONG_AGO }] } },
  };
}

/** An address that the API server has allocated, or somebody else has made. */
export function address(name: string, managedBy = "ipallocator.k8s.io"): IPAddress {
  const labels = {
    "ipaddress.kubernetes.io/ip-family": name.includes(":") ? "IPv6" : "IPv4",
    "ipaddress.kubernetes.io/managed-by": managedBy,
  };
  return { metadata: { name, labels }, spec: { parentRef: { resource: "services", namespace: "a", name: "s" } } };
}

/** The controller on fake informers, with what it sends. */
export function setUp(cidrs: readonly ServiceCIDR[] = [], addresses: readonly IPAddress[] = []) {
  const world = new FakeWorld();
  const sent: string[] = [];
  const failures = new Map<string, unknown[]>();
  const record = (text: string) => {
    sent.push(text);
    const error = failures.get(text.split(" ")[0])?.shift();
    return error ? Promise.reject(error) : Promise.resolve({});
  };
  const client = {
    patch: (_: Resource, { name }: { name: string }, { type, body }: { type: string; body: unknown }) =>
      record(`${type} ${name} ${JSON.stringify(body)}`),
    apply: (_: Resource, object: KubeObject, options: object) =>
      record(`apply ${JSON.stringify(object)} ${JSON.stringify(options)}`),
  };
  const recorder = new FakeRecorder();
  const cidrInformer = new FakeInformer<ServiceCIDR>({ objects: cidrs });
  const addressInformer = new FakeInformer<IPAddress>({ objects: addresses });
  const informers = [[SERVICECIDRS, cidrInformer], [IPADDRESSES, addressInformer]] as const;
  const context = { ...fakeContext({ world, client, informers }), recorder: () => recorder };
  const controller = SERVICE_CIDR_CONTROLLER.build(context, {}) as Controller;
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  return {
    world,
    sent,
    failures,
    recorder,
    cidrs: cidrInformer,
    addresses: addressInformer,
    /** What was sent once nothing more is to come for a moment. */
    settled: async (ms = 1) => {
      await world.clock.advance(ms);
      return sent.splice(0);
    },
    end: async () => {
      stop.abort();
      await running;
      assertEquals(world.clock.pendingTimers, 0);
    },
  };
}

export const adds = (name: string) => `strategic ${name} {"metadata":{"finalizers":["${FINALIZER}"]}}`;
export const removes = (name: string) =>
  `strategic ${name} {"metadata":{"$deleteFromPrimitiveList/finalizers":["${FINALIZER}"]}}`;

export function says(name: string, condition: typeof READY, atMs = START_MS): string {
  const conditions = [{ ...condition, lastTransitionTime: formatTime(atMs) }];
  const options = { subresource: "status", fieldManager: "service-cidr-controller", force: true };
  return `apply ${JSON.stringify({ metadata: { name }, status: { conditions } })} ${JSON.stringify(options)}`;
}
