/** The pod garbage collector on caches that are filled by hand, and an API server that only writes down what it is asked. */
import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import { formatTime, joinKey, type Node, NODES, type Pod, PODS } from "../../../../src/api/mod.ts";
import { Indexer, Lister, NAMESPACE_INDEX, namespaceOf } from "../../../../src/cache/mod.ts";
import type { Client, ObjectRef } from "../../../../src/client/mod.ts";
import type { JournalEntry } from "../../../../src/controllers/mod.ts";
import { POD_GARBAGE_COLLECTOR_CONTROLLER } from "../../../../src/controllers/pod_garbage_collector/mod.ts";
import { statusError } from "../status_errors.ts";
import { fakeContext } from "../context.ts";

export type PodTraits = Pod["metadata"] & {
  phase?: string;
  reason?: string;
  node?: string;
  isDeleting?: boolean;
  conditions?: NonNullable<Pod["status"]>["conditions"];
  observedGeneration?: number;
};

/** A pod of namespace `a`; running, on no node. */
export function pod(name: string, traits: PodTraits = {}): Pod {
  const { phase = "Running", reason, node, isDeleting = false, conditions, observedGeneration, ...metadata } = traits;
  const deletionTimestamp = isDeleting ? "2026-01-01T00:00:00Z" : undefined;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "a", name, uid: `uid-${name}`, generation: 2, deletionTimestamp, ...metadata },
    spec: { containers: [], nodeName: node },
    status: { phase, reason, conditions, observedGeneration },
  };
}

export type NodeTraits = { isReady?: boolean; taint?: NonNullable<NonNullable<Node["spec"]>["taints"]>[number] };

export function node(name: string, { isReady = true, taint }: NodeTraits = {}): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    spec: { taints: taint ? [taint] : undefined },
    status: { conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
  };
}

export interface Beginnings {
  readonly pods: readonly Pod[];
  /** In the cache. */
  readonly nodes?: readonly Node[];
  /** Names of nodes that the API server has besides. */
  readonly uncached?: readonly string[];
  readonly threshold?: number;
  /** When the caches have synced; at once by default. */
  readonly whenSynced?: Promise<void>;
}

export class PodGcRig {
  readonly world = new FakeWorld();
  readonly metrics = new MetricsRegistry();
  readonly pods = new Indexer<Pod>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
  readonly nodes = new Indexer<Node>();
  /** `patch pods/status a/p`, `delete pods a/p`, `get nodes n`. */
  readonly calls: string[] = [];
  readonly bodies: unknown[] = [];
  readonly journal: JournalEntry[] = [];
  readonly #faults = new Map<string, unknown>();
  readonly #uncached: Set<string>;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor({ pods, nodes = [], uncached = [], threshold = 0, whenSynced = Promise.resolve() }: Beginnings) {
    for (const each of pods) this.pods.add(each);
    for (const each of nodes) this.nodes.add(each);
    this.#uncached = new Set(uncached);
    const controller = POD_GARBAGE_COLLECTOR_CONTROLLER.build(
      fakeContext({
        world: this.world,
        metrics: this.metrics,
        client: this.#client,
        informers: [
          [PODS, { whenSynced, lister: new Lister(this.pods) }],
          [NODES, { whenSynced, lister: new Lister(this.nodes) }],
        ],
        journal: { record: (entry) => void this.journal.push(entry) },
      }),
      { terminatedPodThreshold: threshold },
    );
    if (!controller || controller instanceof Promise) throw new Error("The controller was not built at once");
    this.#running = controller.run(this.#stop.signal);
  }

  /** Lets calls with this text fail. */
  fail(call: string, error: unknown): void {
    this.#faults.set(call, error);
  }

  /** Lets seconds pass. */
  async pass(seconds: number): Promise<void> {
    await this.world.clock.advance(seconds * 1000);
  }

  now(): string {
    return formatTime(this.world.clock.wallMs());
  }

  /** Names of the pods that were deleted, in order. */
  get deleted(): string[] {
    return this.calls.filter((call) => call.startsWith("delete")).map((call) => call.split("/").at(-1)!);
  }

  get patched(): string[] {
    return this.calls.filter((call) => call.startsWith("patch")).map((call) => call.split("/").at(-1)!);
  }

  /** The value of a counter, by its name without prefix and its reason. */
  count(name: "pods" | "pod_errors", reason: string): number {
    const line = `pod_gc_collector_force_delete_${name}_total{namespace="a",reason="${reason}"} `;
    const text = this.metrics.render().split("\n").find((candidate) => candidate.startsWith(line));
    return Number(text?.slice(line.length) ?? 0);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  readonly #client: Partial<Client> = {
    getMetadata: (_resource, { name }) =>
      this.#call(`get nodes ${name}`, () => {
        if (this.nodes.get(name) || this.#uncached.has(name)) return { metadata: { name } };
        throw statusError(404, "NotFound");
      }),
    patch: <T>(_resource: unknown, ref: ObjectRef, { body, subresource }: { body: unknown; subresource?: string }) =>
      this.#call(`patch pods/${subresource} ${joinKey(ref.namespace, ref.name)}`, () => {
        this.bodies.push(body);
        return {} as T;
      }),
    delete: (_resource, ref, options) =>
      this.#call(`delete pods ${joinKey(ref.namespace, ref.name)}`, () => void this.bodies.push(options)),
  };

  async #call<R>(text: string, answer: () => R): Promise<R> {
    this.calls.push(text);
    await Promise.resolve();
    if (this.#faults.has(text)) throw this.#faults.get(text);
    return answer();
  }
}
