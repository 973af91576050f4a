// deno-lint-ignore-file no-console -- it is there to print
/**
 * What the journal costs: 10,000 reconciles in flight, with and without it.
 *
 *     deno run --allow-all tests/bench/journal_cost.ts
 *
 * Each reconcile does what that of a ReplicaSet does that lacks one pod: it reads its object and ten pods from the caches, creates
 * a pod, an event and its status by HTTP, at a server in a process of its own that sends back what it gets, and the watch events
 * of the pod and of the status go through informers to handlers that queue a key. Ends with code 1 if the journal's share of the
 * CPU time is 3 % or more.
 */
import process from "node:process";
import { type Event, EVENTS, type KubeObject, objectKey, type Pod, PODS, type ReplicaSet } from "../../src/api/mod.ts";
import { REPLICASETS, type Resource } from "../../src/api/mod.ts";
import { MemoryLogger, MetricsRegistry, systemWorld } from "../../src/base/mod.ts";
import { controllerIndexOf, SharedInformer } from "../../src/cache/mod.ts";
import { Client, transportOf } from "../../src/client/mod.ts";
import { cause } from "../../src/controllers/mod.ts";
import { SyncJournal } from "../../src/manager/mod.ts";
import { runWorkers, WorkQueue } from "../../src/workqueue/mod.ts";
import { frames, ManualSource } from "../unit/cache_fixtures.ts";
import { podFrames, realisticPod } from "./realistic_pod.ts";

const RECONCILES = 10_000;
const PODS_EACH = 10;
const ROUNDS = 7;
const MOST_PERCENT = 3;

const ECHO = `
const headers = { "content-type": "application/json" };
Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(port) },
  async (request) => new Response(await request.text(), { headers }),
);`;

const world = systemWorld(new MemoryLogger());

/** An informer that is fed by hand, whose handler queues the object's key. */
function informerOf<T extends KubeObject>(resource: Resource<T>) {
  const source = new ManualSource();
  const informer = new SharedInformer<T>({ world, resource, source, indexers: { controller: controllerIndexOf } });
  const queue = new WorkQueue({ world });
  const kind = resource.kind.toLowerCase();
  informer.addEventHandler({
    onUpdate: (_, object) => queue.add(objectKey(object), cause(kind, object, "updated")),
  });
  void informer.run(new AbortController().signal);
  return { source, informer, queue };
}

const replicaSets = informerOf(REPLICASETS);
const pods = informerOf(PODS);
const [POD_EVENT] = podFrames(1, { type: "MODIFIED" });
const [REPLICASET_EVENT] = frames(JSON.stringify({ type: "MODIFIED", object: replicaSetOf(0) }));
const POD = realisticPod(0) as Pod;
const EVENT: Event = {
  metadata: { namespace: "shop", name: "web.17f" },
  involvedObject: { kind: "ReplicaSet", namespace: "shop", name: "web" },
  reason: "SuccessfulCreate",
  message: "Created pod: web-new",
};
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

function replicaSetOf(i: number): ReplicaSet {
  const name = `web-${i}`;
  const { spec } = realisticPod(i) as Pod;
  return {
    metadata: { namespace: "shop", name, uid: `uid-${i}`, resourceVersion: String(i), generation: 1 },
    spec: { replicas: PODS_EACH, selector: { matchLabels: { app: name } }, template: { spec } },
    status: { replicas: 0 },
  };
}

const server = new Deno.Command(Deno.execPath(), {
  args: ["run", "--allow-net=127.0.0.1", `data:text/javascript,${encodeURIComponent(ECHO)}`],
  stdout: "piped",
}).spawn();
const output = server.stdout.pipeThrough(new TextDecoderStream()).getReader();
const url = `http://127.0.0.1:${(await output.read()).value!.trim()}`;
const transport = transportOf(world, { server: url });
const client = new Client({ world, server: url, userAgent: "bench", transport });
let inFlight = 0;
let mostInFlight = 0;

async function reconcile(key: string): Promise<void> {
  const replicaSet = replicaSets.informer.lister.get("shop", key.slice("shop/".length))!;
  const { uid = "", name = "" } = replicaSet.metadata ?? {};
  const owned = pods.informer.indexer.byIndex("controller", `shop/ReplicaSet/${name}/${uid}`);
  const replicas = owned.filter(({ status }) => status?.phase === "Running").length;
  mostInFlight = Math.max(mostInFlight, ++inFlight);
  await client.create(PODS, { ...POD, metadata: { ...POD.metadata, namespace: "shop", name: `${name}-new` } });
  await client.updateStatus(REPLICASETS, { ...replicaSet, status: { replicas, readyReplicas: replicas } });
  inFlight--;
}

/** What a reconcile leads to outside of it. */
async function aftermath(): Promise<void> {
  await client.create(EVENTS, EVENT);
  await pods.source.sink.events([POD_EVENT]);
  await replicaSets.source.sink.events([REPLICASET_EVENT]);
}

/** CPU time of all reconciles, in milliseconds. */
async function round(journal?: SyncJournal): Promise<number> {
  const queue = new WorkQueue({ world });
  const stop = new AbortController();
  for (let i = 0; i < RECONCILES; i++) queue.add(`shop/web-${i}`, `replicaset/shop/web-${i} updated at ${i}`);
  let left = RECONCILES;
  const before = process.cpuUsage();
  await runWorkers(queue, {
    world,
    workers: RECONCILES,
    signal: stop.signal,
    sync: async (key) => {
      await reconcile(key);
      if (--left === 0) stop.abort();
    },
    onSynced: journal && ((record) => journal.record({ controller: "bench", kind: "ReplicaSet", ...record })),
  });
  await Promise.all(Array.from({ length: RECONCILES }, aftermath));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

const journal = new SyncJournal({ metrics: new MetricsRegistry() });
const without: number[] = [];
const including: number[] = [];
for (let i = -2; i < ROUNDS; i++) {
  // The first rounds warm up; then they take turns at being first.
  const first = i % 2 === 0;
  const a = first ? await round() : await round(journal);
  const b = first ? await round(journal) : await round();
  if (i < 0) continue;
  without.push(first ? a : b);
  including.push(first ? b : a);
}
// The rounds that were disturbed least: whatever else the machine does only adds.
const [least, leastIncluding] = [Math.min(...without), Math.min(...including)];
const percent = (leastIncluding - least) / leastIncluding * 100;
const each = (ms: number) => `${ms.toFixed(0)} ms, ${(ms / RECONCILES * 1000).toFixed(1)} us each`;
console.log(`reconciles in flight          ${mostInFlight}`);
console.log(`CPU without the journal       ${each(least)} (median ${each(median(without))})`);
console.log(`CPU with the journal          ${each(leastIncluding)} (median ${each(median(including))})`);
console.log(`the journal's share           ${percent.toFixed(2)} % (must be below ${MOST_PERCENT} %)`);
console.log(
  `kept of ${ROUNDS + 2} x ${RECONCILES} syncs     ${journal.length}, about ${
    (journal.bytes / 2 ** 20).toFixed(1)
  } MiB`,
);
transport.close();
server.kill();
await server.status;
Deno.exit(percent < MOST_PERCENT ? 0 : 1);
