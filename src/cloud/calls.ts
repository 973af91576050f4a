import type { CloudProvider, Instances, LoadBalancers, Routes } from "./provider.ts";

/** The methods of each capability, and how long a call may take. */
const CAPABILITIES = {
  loadBalancers: {
    getLoadBalancer: 60_000,
    ensureLoadBalancer: 900_000,
    updateLoadBalancer: 900_000,
    ensureLoadBalancerDeleted: 900_000,
  },
  instances: { instanceExists: 60_000, instanceShutdown: 60_000, instanceMetadata: 60_000 },
  routes: { listRoutes: 60_000, createRoute: 300_000, deleteRoute: 300_000 },
} as const satisfies Record<Capability, unknown> & {
  readonly loadBalancers: Record<keyof LoadBalancers, number>;
  readonly instances: Record<keyof Instances, number>;
  readonly routes: Record<keyof Routes, number>;
};

/** A group of features that a cloud may or may not have. */
export type Capability = "loadBalancers" | "instances" | "routes";

/** A provider's description of itself: plain data. */
export interface CloudDescription {
  readonly name: string;
  readonly hasClusterId: boolean;
  readonly capabilities: readonly Capability[];
}

/** A call of a provider's method without its signal: plain data that can be sent to threads and other processes. */
export interface CloudCall {
  readonly capability: Capability;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** All capabilities, in a fixed order. */
export const CAPABILITY_NAMES = Object.keys(CAPABILITIES) as readonly Capability[];

/** The methods of a capability. */
export function methodsOf(capability: Capability): readonly string[] {
  return Object.keys(CAPABILITIES[capability]);
}

/** How long a call may take, in milliseconds; `undefined` if there is no such method. */
export function timeLimitOf({ capability, method }: Pick<CloudCall, "capability" | "method">): number | undefined {
  const methods: Readonly<Record<string, number>> = Object.hasOwn(CAPABILITIES, capability)
    ? CAPABILITIES[capability]
    : {};
  return Object.hasOwn(methods, method) ? methods[method] : undefined;
}

/** The methods that do not change the cloud. */
const READING: ReadonlySet<string> = new Set([
  "getLoadBalancer",
  "instanceExists",
  "instanceShutdown",
  "instanceMetadata",
  "listRoutes",
]);

/** Whether a call may change the cloud. */
export function mayChange({ method }: Pick<CloudCall, "method">): boolean {
  return !READING.has(method);
}

/** Describes `provider`. */
export function describe(provider: CloudProvider): CloudDescription {
  const { name, hasClusterId } = provider;
  return { name, hasClusterId, capabilities: CAPABILITY_NAMES.filter((capability) => provider[capability]) };
}

/** Transports a call to the cloud. */
export type CloudCarrier = (call: CloudCall, signal: AbortSignal) => Promise<unknown>;

/**
 * A provider whose calls all go through `carry`, for example to another thread or process, or under a time limit.
 *
 * @example
 * ```ts
 * import { providerBehind } from "kubeloop/cloud";
 * import { assertEquals } from "@std/assert";
 *
 * const provider = providerBehind(
 *   { name: "far", hasClusterId: true, capabilities: ["instances"] },
 *   (call) => Promise.resolve(call.method === "instanceExists"),
 * );
 * const exists = await provider.instances?.instanceExists({}, new AbortController().signal);
 * assertEquals([exists, provider.routes], [true, undefined]);
 * ```
 */
export function providerBehind(
  { name, hasClusterId, capabilities }: CloudDescription,
  carry: CloudCarrier,
): CloudProvider {
  const entries = capabilities.map((capability) => [
    capability,
    Object.fromEntries(
      methodsOf(capability).map((method) => [
        method,
        (...args: unknown[]) => carry({ capability, method, args: args.slice(0, -1) }, args.at(-1) as AbortSignal),
      ]),
    ),
  ]);
  return { name, hasClusterId, ...Object.fromEntries(entries) };
}

/**
 * Makes a call.
 *
 * @throws {TypeError} If the provider has no such method.
 * @throws Whatever the provider does.
 */
export async function callCloud(provider: CloudProvider, call: CloudCall, signal: AbortSignal): Promise<unknown> {
  const { capability, method, args } = call;
  const methods = timeLimitOf(call) === undefined ? undefined : provider[capability];
  if (!methods) throw new TypeError(`Cannot call ${method} of ${capability}: the provider has no such method`);
  const run = (methods as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[method];
  return await run.apply(methods, [...args, signal]);
}
