import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import {
  type DeviceTaint,
  DEVICETAINTRULES,
  type DeviceToleration,
  formatTime,
  objectKey,
  type Pod,
  PODS,
  RESOURCECLAIMS,
  type ResourceSlice,
  RESOURCESLICES,
  type ResourceV1beta2DeviceTaintRule,
  type ResourceV1ResourceClaim,
} from "../../../../src/api/mod.ts";
import type { ControllerContext } from "../../../../src/controllers/mod.ts";
import { buildDeviceTaintEviction } from "../../../../src/controllers/device_taint_eviction/controller.ts";
import { CachedInformer } from "../cached_informer.ts";
import { fakeContext } from "../context.ts";
import { statusError } from "../status_errors.ts";

export type Rule = ResourceV1beta2DeviceTaintRule;
export const DRIVER = "gpu.example.com";

/** A taint since so many seconds; negative: from then on. */
export function taint(
  rig: DeviceRig,
  { agoSeconds = 0, ...more }: { agoSeconds?: number } & Partial<DeviceTaint> = {},
) {
  const timeAdded = formatTime(rig.world.clock.wallMs() - agoSeconds * 1000);
  return { key: "example.com/broken", effect: "NoExecute", timeAdded, ...more };
}

export function tolerated(tolerationSeconds?: number, more: Partial<DeviceToleration> = {}): DeviceToleration {
  return { key: "example.com/broken", operator: "Exists", effect: "NoExecute", tolerationSeconds, ...more };
}

/** A slice of the pool `p`. */
export function slice(
  devices: Readonly<Record<string, readonly DeviceTaint[]>>,
  { name = "s", generation = 1, pool = "p" } = {},
): ResourceSlice {
  return {
    metadata: { name, resourceVersion: "1" },
    spec: {
      driver: DRIVER,
      pool: { name: pool, generation, resourceSliceCount: 1 },
      devices: Object.entries(devices).map(([name, taints]) => ({ name, taints: [...taints] })),
    },
  };
}

export interface UserTraits {
  readonly device?: string;
  readonly tolerations?: DeviceToleration[];
  readonly nodeName?: string;
  readonly uid?: string;
  readonly namespace?: string;
}

export function user(name: string, { nodeName = "n", uid = name, namespace = "a" }: UserTraits = {}): Pod {
  return {
    metadata: { namespace, name, uid },
    spec: { containers: [], nodeName, resourceClaims: [{ name: "r", resourceClaimName: name }] },
  };
}

export function claimOf(
  name: string,
  { device = "d", tolerations, uid = name, namespace = "a" }: UserTraits = {},
): ResourceV1ResourceClaim {
  return {
    metadata: { namespace, name, uid: `claim ${name}` },
    spec: {},
    status: {
      allocation: { devices: { results: [{ request: "r", driver: DRIVER, pool: "p", device, tolerations }] } },
      reservedFor: [{ resource: "pods", name, uid }],
    },
  };
}

export function rule(name: string, effect = "NoExecute", deviceSelector: Rule["spec"]["deviceSelector"] = {}): Rule {
  const taint = { key: "example.com/broken", effect, timeAdded: "2025-01-01T00:00:00Z" };
  return { metadata: { name, uid: `rule ${name}`, generation: 1 }, spec: { deviceSelector, taint } };
}

/** The whole controller on caches that a test fills; pods on the server are those in the cache, unless a test says otherwise. */
export class DeviceRig implements AsyncDisposable {
  readonly world = new FakeWorld();
  readonly metrics = new MetricsRegistry();
  readonly pods = new CachedInformer<Pod>();
  readonly claims = new CachedInformer<ResourceV1ResourceClaim>();
  readonly slices = new CachedInformer<ResourceSlice>();
  readonly rules = new CachedInformer<Rule>();
  /** Pods as the server has them, where that is something else. */
  readonly live = new Map<string, Pod | undefined>();
  readonly calls: string[] = [];
  readonly events: string[] = [];
  /** What was said of rules last. */
  readonly said = new Map<string, string>();
  /** Answers of the next deletions. */
  readonly refusals: number[] = [];
  /** The cache shows that a pod is deleted as soon as it is. */
  removesDeleted = true;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor({ gates = ["DRADeviceTaintRules"] }: { readonly gates?: readonly string[] } = {}) {
    const context = fakeContext({
      world: this.world,
      metrics: this.metrics,
      client: this.#client(),
      informers: [[PODS, this.pods], [RESOURCECLAIMS, this.claims], [RESOURCESLICES, this.slices], [
        DEVICETAINTRULES,
        this.rules,
      ]],
    });
    const recorder = {
      event: ({ name }: { name?: string }, _type: string, _reason: string, message: string) =>
        void this.events.push(`${name}: ${message}`),
    };
    const whole = { ...context, gates: new Set(gates), recorder: () => recorder } as unknown as ControllerContext;
    this.#running = buildDeviceTaintEviction(whole, { workers: 2 }).run(this.#stop.signal);
  }

  #client(): object {
    return {
      get: (_resource: object, ref: { namespace?: string; name: string }) => {
        const key = `${ref.namespace}/${ref.name}`;
        const pod = this.live.has(key) ? this.live.get(key) : this.pods.indexer.get(key);
        return pod ? Promise.resolve(pod) : Promise.reject(statusError(404, "NotFound"));
      },
      patch: (_resource: object, { name }: { name: string }) => Promise.resolve(void this.calls.push(`PATCH ${name}`)),
      delete: (
        _resource: object,
        ref: { namespace?: string; name: string },
        options: { preconditions: { uid: string } },
      ) => {
        const refusal = this.refusals.shift();
        if (refusal) return Promise.reject(statusError(refusal, "Refused"));
        this.calls.push(`DELETE ${ref.name} ${options.preconditions.uid}`);
        if (this.removesDeleted) this.pods.remove(`${ref.namespace}/${ref.name}`);
        return Promise.resolve();
      },
      apply: (_resource: object, owned: Rule) => {
        const [{ status, reason, message }] = owned.status!.conditions!;
        this.said.set(owned.metadata!.name!, `${status} ${reason} ${message}`.trim());
        const before = this.rules.indexer.get(owned.metadata!.name!);
        if (before) this.rules.set({ ...before, status: owned.status });
        return Promise.resolve(owned);
      },
    };
  }

  /** A pod and its claim. */
  addUser(name: string, traits: UserTraits = {}): void {
    this.claims.set(claimOf(name, traits));
    this.pods.set(user(name, traits));
  }

  get deleted(): string[] {
    return this.calls.filter((call) => call.startsWith("DELETE")).map((call) => call.split(" ")[1]);
  }

  keyOf(name: string): string {
    return objectKey(user(name));
  }

  async seconds(count: number): Promise<void> {
    // Never so long at once that the process seems to have slept.
    for (let left = count; left > 0; left -= 5) await this.world.clock.advance(Math.min(5, left) * 1000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.world.clock.advance(0);
    await this.#running;
  }
}
