import {
  type Event,
  EVENTS,
  type KubeObject,
  objectKey,
  type Pod,
  PODS,
  type ReplicaSet,
  REPLICASETS,
  type Resource,
} from "../../src/api/mod.ts";
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { controllerIndexOf, SharedInformer } from "../../src/cache/mod.ts";
import { Client, transportOf } from "../../src/client/mod.ts";
import { cause } from "../../src/controllers/mod.ts";
import type { SyncJournal } from "../../src/manager/mod.ts";
import { runWorkers, WorkQueue } from "../../src/workqueue/mod.ts";
import { frames, ManualSource } from "../unit/cache/fixtures.ts";
import { podFrames, realisticPod } from "./realistic_pod.ts";

/** Reconciles of a round, all in flight at the same time. */
export const RECONCILES = 10_000;
const PODS_EACH = 10;
/** Different watch events; each comes many times in a round. */
const FRAMES = 500;

const world = systemWorld(new MemoryLogger());
let keepsCauses = false;

/** An informer that is fed by hand, whose handler queues the object's key. */
function informerOf<T extends KubeObject>(resource: Resource<T>) {
  const source = new ManualSource();
  const informer = new SharedInformer<T>({ world, resource, source, indexers: { controller: controllerIndexOf } });
  const queue = new WorkQueue({ world });
  const kind = resource.kind.toLowerCase();
  informer.addEventHandler({
    onUpdate: (_, object) => queue.add(objectKey(object), keepsCauses ? cause(kind, object, "updated") : undefined),
  });
  void informer.run(new AbortController().signal);
  return { source, informer, queue };
}

const replicaSets = informerOf(REPLICASETS);
const pods = informerOf(PODS);
const POD_EVENTS = podFrames(FRAMES, { type: "MODIFIED" });
const REPLICASET_EVENTS = Array.from({ length: FRAMES }, (_, i) => {
  return frames(JSON.stringify({ type: "MODIFIED", object: replicaSetOf(i) }))[0];
});
const POD = realisticPod(0) as Pod;
const EVENT: Event = {
  metadata: { namespace: "shop", name: "web.17f" },
  involvedObject: { kind: "ReplicaSet", namespace: "shop", name: "web" },
  reason: "SuccessfulCreate",
  message: "Created pod: web-new",
};

function replicaSetOf(i: number): ReplicaSet {
  const name = `web-${i}`;
  const { spec } = realisticPod(i) as Pod;
  return {
    metadata: { namespace: "shop", name, uid: `uid-${i}`, resourceVersion: String(i), generation: 1 },
    spec: { replicas: PODS_EACH, selector: { matchLabels: { app: name } }, template: { spec } },
    status: { replicas: 0 },
  };
}

async function fillCaches(): Promise<void> {
  await replicaSets.source.sink.beginReplace().commit("1");
  await pods.source.sink.beginReplace().commit("1");
  for (let i = 0; i < RECONCILES; i++) {
    const replicaSet = replicaSetOf(i);
    replicaSets.informer.indexer.add(replicaSet);
    const { name, uid } = replicaSet.metadata!;
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: name!, uid: uid!, controller: true };
    for (let pod = 0; pod < PODS_EACH; pod++) {
      const metadata = { namespace: "shop", name: `${name}-${pod}`, ownerReferences: [owner] };
      pods.informer.indexer.add({ metadata, status: { phase: "Running" } } as Pod);
    }
  }
}

/** Reconciles as those of a ReplicaSet that lacks one pod, with all that they lead to. */
export class JournalLoad implements AsyncDisposable {
  readonly #client: Client;
  readonly #close: () => void;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  #left = 0;
  #allSynced = () => {};
  #inFlight = 0;
  #mostInFlight = 0;

  private constructor(server: string) {
    const transport = transportOf(world, { server });
    this.#client = new Client({ world, server, userAgent: "bench", transport });
    this.#close = () => transport.close();
  }

  /** @param server Where requests go; sends back what it gets. */
  static async start(server: string): Promise<JournalLoad> {
    await fillCaches();
    return new JournalLoad(server);
  }

  get mostInFlight(): number {
    return this.#mostInFlight;
  }

  /** Starts workers of their own; each call of what is returned has them do all reconciles once. */
  workers(journal?: SyncJournal): () => Promise<void> {
    const queue = new WorkQueue({ world });
    this.#running.push(runWorkers(queue, {
      world,
      workers: RECONCILES,
      signal: this.#stop.signal,
      sync: async (key) => {
        await this.#reconcile(key);
        if (--this.#left === 0) this.#allSynced();
      },
      onSynced: journal && ((key, record) => journal.record({ controller: "bench", kind: "ReplicaSet", key, record })),
    }));
    return () => this.#round(queue, journal !== undefined);
  }

  async #round(queue: WorkQueue, isJournaled: boolean): Promise<void> {
    keepsCauses = isJournaled;
    this.#left = RECONCILES;
    const allSynced = new Promise<void>((resolve) => this.#allSynced = resolve);
    for (let i = 0; i < RECONCILES; i++) {
      const replicaSet = replicaSets.informer.lister.get("shop", `web-${i}`)!;
      queue.add(objectKey(replicaSet), isJournaled ? cause("replicaset", replicaSet, "updated") : undefined);
    }
    await allSynced;
    await Promise.all(Array.from({ length: RECONCILES }, (_, i) => this.#aftermath(i % FRAMES)));
  }

  async #reconcile(key: string): Promise<void> {
    const replicaSet = replicaSets.informer.lister.get("shop", key.slice("shop/".length))!;
    const { uid = "", name = "" } = replicaSet.metadata ?? {};
    const owned = pods.informer.indexer.byIndex("controller", `shop/ReplicaSet/${name}/${uid}`);
    const replicas = owned.filter(({ status }) => status?.phase === "Running").length;
    this.#mostInFlight = Math.max(this.#mostInFlight, ++this.#inFlight);
    await this.#client.create(PODS, { ...POD, metadata: { ...POD.metadata, namespace: "shop", name: `${name}-new` } });
    await this.#client.updateStatus(REPLICASETS, { ...replicaSet, status: { replicas, readyReplicas: replicas } });
    this.#inFlight--;
  }

  /** What a reconcile leads to outside of it: an event, and the watch events of the pod and of the status. */
  async #aftermath(i: number): Promise<void> {
    await this.#client.create(EVENTS, EVENT);
    await pods.source.sink.events([POD_EVENTS[i]]);
    await replicaSets.source.sink.events([REPLICASET_EVENTS[i]]);
    await handOut(pods.queue);
    await handOut(replicaSets.queue);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    this.#close();
  }
}

async function handOut(queue: WorkQueue): Promise<void> {
  while (queue.length > 0) {
    const item = await queue.get();
    if (item) queue.done(item.key);
  }
}
