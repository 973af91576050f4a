/** The hub with real Reflectors and informers on the embedded API server: every group ends with what the server holds. */
import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import { FakeWorld, MetricsRegistry } from "../../src/base/mod.ts";
import { type ConfigMap, CONFIGMAPS, type KubeObject, objectKey } from "../../src/api/mod.ts";
import { ReflectorSource, SharedInformer } from "../../src/cache/mod.ts";
import { Client } from "../../src/client/mod.ts";
import {
  HubClient,
  type HubConnection,
  type HubMessage,
  type SubscriberMessage,
  WatchHub,
} from "../../src/manager/hub/mod.ts";
import { type ApiServer, createApiServer } from "../../src/sandbox/mod.ts";

/** This group reads metadata only. */
const METADATA_GROUP = "group-2";

/** A group on its own thread, as far as the hub can tell: messages are cloned, and may be held up. */
class Group {
  readonly informer: SharedInformer<ConfigMap>;
  readonly seen = new Map<string, string>();
  /** Notifications that contradict what was notified before. */
  readonly contradictions: string[] = [];
  isHeldUp = false;
  readonly #held: HubMessage[] = [];
  readonly #client: HubClient;
  readonly #connection: HubConnection;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #isGone = false;

  constructor(hub: WatchHub, world: FakeWorld, name: string) {
    this.#connection = hub.connect(name, {
      postMessage: (message, transfer) => this.#receive(structuredClone(message, { transfer })),
    });
    this.#client = new HubClient(world, {
      postMessage: (message: SubscriberMessage) => this.#isGone || this.#connection.receive(structuredClone(message)),
    });
    const metadataOnly = name === METADATA_GROUP;
    const source = this.#client.source({ resource: CONFIGMAPS, metadataOnly });
    this.informer = new SharedInformer({ world, resource: CONFIGMAPS, source, metadataOnly });
    this.informer.addEventHandler({
      onAdd: (object) => this.#note(object, !this.seen.has(objectKey(object)), "added"),
      onUpdate: (_, object) => this.#note(object, this.seen.has(objectKey(object)), "updated"),
      onDelete: (gone) => {
        const key = "key" in gone ? gone.key : objectKey(gone);
        if (!this.seen.delete(key)) this.contradictions.push(`deleted ${key}`);
      },
    });
    this.#running = this.informer.run(this.#stop.signal);
  }

  letGo(): void {
    this.isHeldUp = false;
    for (const message of this.#held.splice(0)) this.#client.receive(message);
  }

  /** Ends as a worker does that is terminated: without a word. */
  async crash(): Promise<void> {
    this.#isGone = true;
    this.#connection.close();
    this.#stop.abort();
    await this.#running;
  }

  #receive(message: HubMessage): void {
    if (this.#isGone) return;
    if (this.isHeldUp) this.#held.push(message);
    else this.#client.receive(message);
  }

  #note(object: KubeObject, isConsistent: boolean, what: string): void {
    const resourceVersion = object.metadata?.resourceVersion ?? "";
    const isOlder = Number(resourceVersion) < Number(this.seen.get(objectKey(object)) ?? 0);
    if (!isConsistent || isOlder) this.contradictions.push(`${what} ${objectKey(object)}@${resourceVersion}`);
    this.seen.set(objectKey(object), resourceVersion);
  }
}

type Step =
  | { readonly what: "put" | "delete"; readonly name: number }
  | { readonly what: "start" | "crash" | "hold" | "letGo"; readonly group: number }
  | { readonly what: "break" | "expire" | "wait" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constantFrom("put" as const, "delete" as const), name: fc.nat(5) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constantFrom("start" as const, "crash" as const, "hold" as const, "letGo" as const),
      group: fc.nat(2),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ what: "wait" as const }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom("break" as const, "expire" as const) }) },
);

/** Does one step. */
async function take(step: Step, { data, world, server, client, hub, groups }: {
  readonly data: string;
  readonly world: FakeWorld;
  readonly server: ApiServer;
  readonly client: Client;
  readonly hub: WatchHub;
  readonly groups: (Group | undefined)[];
}): Promise<void> {
  const named = (name: number) => ({ namespace: "default", name: `c${name}` });
  switch (step.what) {
    case "put":
      await client.apply(CONFIGMAPS, { metadata: named(step.name), data: { data } }, { fieldManager: "t" });
      break;
    case "delete":
      await client.delete(CONFIGMAPS, named(step.name)).catch(() => {});
      break;
    case "start":
      groups[step.group] ??= new Group(hub, world, `group-${step.group}`);
      break;
    case "crash":
      await groups[step.group]?.crash();
      groups[step.group] = undefined;
      break;
    case "hold":
      if (groups[step.group]) groups[step.group]!.isHeldUp = true;
      break;
    case "letGo":
      groups[step.group]?.letGo();
      break;
    case "break":
      server.closeWatches({}, "break");
      break;
    case "expire":
      server.closeWatches({}, "expire");
      break;
    case "wait":
      await world.clock.advance(20);
  }
}

async function play(steps: readonly Step[], late: "slow" | "old" | "ahead"): Promise<void> {
  const world = new FakeWorld();
  const server = createApiServer({ world });
  const clientOf = (userAgent: string) =>
    new Client({ world, transport: (r) => server.fetch(r), server: "http://127.0.0.1", userAgent });
  const client = clientOf("test");
  // The first source of the one topic is the shared one; the others are for those who come late.
  let sources = 0;
  const hub = new WatchHub({
    world,
    metrics: new MetricsRegistry(),
    source: ({ resource, metadataOnly }) =>
      new ReflectorSource({ world, client: clientOf(sources++ === 0 ? "shared" : "late"), resource, metadataOnly }),
  });
  server.faults.add({ userAgent: "shared", lagMs: late === "ahead" ? 50 : 10 });
  // Lists that take long, that are old when they come, or that know more than the shared watch.
  if (late === "slow") server.faults.add({ userAgent: "late", lagMs: 80 });
  else if (late === "old") {
    server.faults.add({ userAgent: "late", verb: "watch", status: { code: 422, reason: "Invalid" } });
    server.faults.add({ userAgent: "late", verb: "list", lagMs: 80 });
  }
  const groups: (Group | undefined)[] = [new Group(hub, world, "group-0")];
  await world.clock.advance(100);
  for (const [i, each] of steps.entries()) await take(each, { data: String(i), world, server, client, hub, groups });
  groups[0] ??= new Group(hub, world, "group-0");
  for (const group of groups) group?.letGo();
  await world.clock.advance(120_000);
  const { items } = await client.list(CONFIGMAPS);
  const wanted = Object.fromEntries(items.map((item) => [objectKey(item), item.metadata?.resourceVersion]));
  for (const group of groups) {
    if (!group) continue;
    assertEquals(Object.fromEntries([...group.seen].sort()), wanted);
    assertEquals(group.informer.indexer.keys().length, items.length);
    assertEquals(group.contradictions, []);
    const objects = group.informer.indexer.list();
    assertEquals(objects.some(({ data }) => data !== undefined), group !== groups[2] && items.length > 0);
  }
  // A second watch only where the one who reads metadata was alone when it came.
  assert(server.openWatches <= 2, `${server.openWatches} watches for one resource`);
  for (const group of groups) await group?.crash();
  await hub.shutDown();
  server.close();
  await world.clock.advance(0);
  assertEquals([world.clock.pendingTimers, server.openWatches], [0, 0]);
}

Deno.test("WatchHub by its TopicFeed: every subscription sees one state and then each change of it, in the server's order, as if it watched alone", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.constantFrom("slow", "old", "ahead"), play), {
    numRuns: 300,
  });
});
