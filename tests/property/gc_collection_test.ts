import { assert, assertEquals, AssertionError } from "@std/assert";
import fc from "../fast_check.ts";
import {
  apiVersionOf,
  CLUSTERROLES,
  groupResource,
  joinKey,
  type KubeObject,
  objectKey,
  type OwnerReference,
  PODS,
  REPLICASETS,
} from "../../src/api/mod.ts";
import type { DeleteObjectOptions } from "../../src/client/mod.ts";
import { attemptToDelete } from "../../src/controllers/garbage_collector/attempt_to_delete.ts";
import { attemptToOrphan } from "../../src/controllers/garbage_collector/attempt_to_orphan.ts";
import type { NodeView } from "../../src/controllers/garbage_collector/graph.ts";
import { isDeletingDependents } from "../../src/controllers/garbage_collector/transitions.ts";
import type { StoredChange } from "../unit/controllers/recorded_client.ts";
import { GcHarness, object, objectsOn, observed, ref, WIDGETS } from "../unit/controllers/garbage_collector/harness.ts";
import { statusError } from "../unit/controllers/status_errors.ts";

const RESOURCES = [PODS, REPLICASETS, WIDGETS, CLUSTERROLES];
const POLICIES = ["Background", "Foreground", "Orphan"] as const;
/** Owners that never exist, beside those that do. */
const GHOSTS = 2;

interface ObjectPlan {
  readonly resource: number;
  readonly namespace: string;
  readonly owners: readonly { readonly to: number; readonly block: boolean | undefined }[];
}

type Step =
  /** A monitor's cache takes its next change, which the graph gets later. */
  | { readonly type: "see"; readonly resource: number }
  /** The monitors that are still listing are not waited for any longer. */
  | { readonly type: "impatience" }
  /** A monitor shows its next change; workers may work before all steps of it were taken. */
  | { readonly type: "deliver"; readonly resource: number; readonly steps: number }
  | { readonly type: "work"; readonly pick: number; readonly interrupted: boolean }
  | { readonly type: "remove"; readonly target: number; readonly policy: (typeof POLICIES)[number] }
  | { readonly type: "relink"; readonly target: number; readonly owners: ObjectPlan["owners"] }
  | { readonly type: "fault"; readonly verb: string; readonly code: number };

const owners = fc.uniqueArray(
  fc.record({ to: fc.nat(12), block: fc.constantFrom(true, false, undefined) }),
  { maxLength: 3, selector: ({ to }) => to },
);
const plans = fc.array(
  fc.record({ resource: fc.nat(RESOURCES.length - 1), namespace: fc.constantFrom("a", "b"), owners }),
  { minLength: 1, maxLength: 10 },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("see" as const), resource: fc.nat(RESOURCES.length - 1) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("impatience" as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("deliver" as const),
      resource: fc.nat(RESOURCES.length - 1),
      steps: fc.constantFrom(1, 2, 3, Infinity),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant("work" as const), pick: fc.nat(5), interrupted: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("remove" as const),
      target: fc.nat(9),
      policy: fc.constantFrom(...POLICIES),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("relink" as const), target: fc.nat(9), owners }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("fault" as const),
      verb: fc.constantFrom("get", "delete", "patch"),
      code: fc.constantFrom(409, 429, 500, 503),
    }),
  },
);

/** A cluster of random objects, a garbage collector on it, and the model: who owns whom according to the API server. */
class Simulation {
  readonly gc = new GcHarness();
  readonly #plans: readonly ObjectPlan[];
  readonly #unseen = RESOURCES.map((): StoredChange[] => []);
  readonly #pending = RESOURCES.map((): StoredChange[] => []);
  /** The kinds whose first list has not been seen to its end. */
  readonly #listing = new Map<string, number>();
  #queue: { readonly node: NodeView; readonly work: typeof attemptToDelete | typeof attemptToOrphan }[] = [];
  #actingUser = false;
  /** The change that is being worked into the graph. */
  #changing: Generator<void, void> | undefined;
  /** Owners that were to be deleted in the foreground at some time of the work under way: nothing guards two objects at once. */
  readonly #waited = new Set<string>();

  constructor(plans: readonly ObjectPlan[]) {
    this.#plans = plans;
    const { client } = this.gc;
    client.onChange = (change) => {
      void this.#unseen[RESOURCES.findIndex((resource) => groupResource(resource) === change.of)]?.push(change);
    };
    for (const [i, plan] of plans.entries()) client.store(RESOURCES[plan.resource], this.#made(i, plan.owners));
    for (const [i, { kind }] of RESOURCES.entries()) this.#listing.set(kind, this.#unseen[i].length);
    this.gc.isAwaited = (identity) =>
      (this.#listing.get(identity.kind) ?? 0) > 0 || this.gc.shown(identity) !== undefined;
    client.onCall = (call, body) => this.#check(call, body);
  }

  async run(steps: readonly Step[]): Promise<void> {
    await this.gc.client.serve(WIDGETS);
    const left = [...steps];
    for (let next = left.shift(); next; next = left.shift()) {
      switch (next.type) {
        case "deliver":
          this.#deliver(next.resource, next.steps);
          break;
        case "see":
          this.#see(next.resource);
          break;
        case "impatience":
          this.#listing.clear();
          break;
        case "work":
          await this.#work(next.pick, next.interrupted ? left : []);
          break;
        default:
          await this.#act(next);
      }
    }
  }

  /** Delivers and retries until everything is quiet. */
  async settle(): Promise<void> {
    for (let round = 0; round < 300; round++) {
      for (const resource of RESOURCES.keys()) {
        while (this.#pending[resource].length + this.#unseen[resource].length > 0) this.#deliver(resource, Infinity);
      }
      this.#collect({ all: true });
      if (this.#queue.length === 0) return;
      for (let n = this.#queue.length; n > 0; n--) await this.#work(0, []);
    }
    throw new Error(
      `Never became quiet: ${this.#queue.map(({ node }) => node.identity.name)}; ${this.gc.errors.at(-1)}`,
    );
  }

  /** Every remaining object is wanted: no finalizer of ours is left, and all the owners it names exist. */
  checkEnd(): void {
    for (const object of objectsOn(this.gc.client)) {
      assertEquals(object.metadata?.finalizers ?? [], [], `${object.metadata?.name} still waits`);
      const missing = (object.metadata?.ownerReferences ?? []).filter((owner) => !this.#ownerOf(object, owner));
      assertEquals(missing, [], `${object.metadata?.name} names owners that do not exist`);
    }
  }

  #made(i: number, owners: ObjectPlan["owners"]): KubeObject {
    const { resource, namespace } = this.#plans[i];
    const isClusterScoped = !RESOURCES[resource].namespaced;
    const ownerReferences = owners
      .map(({ to, block }) => ({ to: to % (this.#plans.length + GHOSTS), block }))
      .filter(({ to }, at, all) => to !== i && all.findIndex((other) => other.to === to) === at)
      .map(({ to, block }) => ({ owner: RESOURCES[this.#plans[to]?.resource ?? to % RESOURCES.length], to, block }))
      .filter(({ owner }) => !(isClusterScoped && owner.namespaced)) // invalid, and rightly blocks for ever
      .map(({ owner, to, block }) => ref(owner, `o${to}`, { blockOwnerDeletion: block }));
    return object(RESOURCES[resource], `o${i}`, { ...(isClusterScoped ? {} : { namespace }), ownerReferences });
  }

  /** The owner that a reference of `child` leads to by the API server's rules. */
  #ownerOf(child: KubeObject, { apiVersion, kind, name, uid }: OwnerReference): KubeObject | undefined {
    const resource = RESOURCES.find((each) => apiVersionOf(each) === apiVersion && each.kind === kind)!;
    const found = this.gc.client.find(
      resource,
      joinKey(resource.namespaced ? child.metadata?.namespace : undefined, name),
    );
    return found?.metadata?.uid === uid ? found : undefined;
  }

  /** An object with a live owner is never deleted by the garbage collector. */
  #check(call: string, body: unknown): void {
    const [verb, plural, key] = call.split(" ");
    if (this.#actingUser || verb !== "delete") return;
    const child = this.gc.client.find(RESOURCES.find((resource) => resource.plural === plural)!, key);
    const { preconditions = {} } = body as DeleteObjectOptions;
    const { uid, resourceVersion } = child?.metadata ?? {};
    const isRefused = preconditions.uid !== uid ||
      (preconditions.resourceVersion ?? resourceVersion) !== resourceVersion;
    if (!child || isRefused) return;
    const live = (child.metadata?.ownerReferences ?? []).filter((owner) => {
      const found = this.#ownerOf(child, owner);
      return found && !isDeletingDependents(found) && !this.#waited.has(owner.uid);
    });
    assertEquals(live, [], `${key} was deleted although it has a live owner`);
    assert(child.metadata?.ownerReferences?.length, `${key} was deleted although it never had an owner`);
  }

  #noteWaiting(): void {
    for (const object of objectsOn(this.gc.client)) {
      if (isDeletingDependents(object)) this.#waited.add(object.metadata!.uid!);
    }
  }

  #see(resource: number): void {
    const change = this.#unseen[resource].shift();
    if (!change) return;
    const { kind } = RESOURCES[resource];
    const left = this.#listing.get(kind);
    if (left) this.#listing.set(kind, left - 1);
    const { uid = "" } = change.object.metadata ?? {};
    if (change.isGone) this.gc.monitored.delete(uid);
    else this.gc.monitored.set(uid, change.object);
    this.#pending[resource].push(change);
  }

  #deliver(resource: number, steps: number): void {
    if (this.#pending[resource].length === 0) this.#see(resource);
    const change = this.#pending[resource].shift();
    if (!change) return;
    this.#finishChange();
    this.#changing = this.gc.builder.process(observed(change));
    for (let i = 0; i < steps; i++) if (this.#changing.next().done) return;
  }

  /** Changes are worked into the graph one at a time. */
  #finishChange(): void {
    while (this.#changing && !this.#changing.next().done);
    this.#changing = undefined;
  }

  #collect({ all = false } = {}): void {
    const { gc } = this;
    if (all || gc.changes.length > 0) this.#finishChange();
    gc.processChanges();
    this.#queue.push(...gc.toDelete.take().map((node) => ({ node, work: attemptToDelete })));
    this.#queue.push(...gc.toDelete.rateLimited.splice(0).map((node) => ({ node, work: attemptToDelete })));
    this.#queue.push(...gc.toDelete.delayed.splice(0).map(({ node }) => ({ node, work: attemptToDelete })));
    this.#queue.push(...gc.toOrphan.take().map((node) => ({ node, work: attemptToOrphan })));
  }

  /** Works on one queued node; `meanwhile` holds what users do between its calls. */
  async #work(pick: number, meanwhile: Step[]): Promise<void> {
    this.#collect();
    const [item] = this.#queue.splice(pick % Math.max(1, this.#queue.length), 1);
    if (!item) return;
    const { client } = this.gc;
    this.#waited.clear();
    client.onCall = (call, body) => {
      this.#noteWaiting();
      const next = meanwhile[0];
      if (next?.type === "remove" && !this.#actingUser) void this.#act(meanwhile.shift()!);
      this.#check(call, body);
    };
    let isDone = false;
    const working = Promise.allSettled([item.work(item.node, this.gc.context)]).finally(() => isDone = true);
    while (!isDone) await this.gc.world.clock.advance(400); // the pauses between tries at removing a finalizer
    const [result] = await working;
    client.onCall = (call, body) => this.#check(call, body);
    if (result.status === "fulfilled") return;
    const error: unknown = result.reason;
    if (error instanceof AssertionError) throw error;
    this.gc.errors.push(String(error));
    this.#queue.push(item);
  }

  async #act(action: Step): Promise<void> {
    const { client } = this.gc;
    if (action.type === "fault") {
      client.fail(action.verb, statusError(action.code, action.code === 409 ? "Conflict" : "InternalError"), {
        times: 1,
      });
      return;
    }
    if (action.type !== "remove" && action.type !== "relink") return;
    const i = action.target % this.#plans.length;
    const resource = RESOURCES[this.#plans[i].resource];
    const current = client.find(resource, objectKey(this.#made(i, [])));
    if (!current) return;
    if (action.type === "relink") {
      const { ownerReferences } = this.#made(i, action.owners).metadata!;
      const { resourceVersion: _, ...metadata } = current.metadata!;
      client.store(resource, { ...current, metadata: { ...metadata, ownerReferences } });
      return;
    }
    this.#actingUser = true;
    const { namespace, name = "" } = current.metadata!;
    const removal = client.delete(resource, { namespace, name }, { propagationPolicy: action.policy });
    await removal.catch(() => {}).finally(() => this.#actingUser = false);
  }
}

/** Two block each other; before the graph shows that one is deleted in the foreground, the other is deleted so too. */
const CIRCLE_UNSEEN: [ObjectPlan[], Step[]] = [
  [
    { resource: 0, namespace: "b", owners: [{ to: 1, block: true }] },
    { resource: 2, namespace: "b", owners: [{ to: 0, block: true }] },
  ],
  [
    { type: "deliver", resource: 2, steps: Infinity },
    { type: "work", pick: 0, interrupted: true },
    { type: "remove", target: 1, policy: "Foreground" },
  ],
];

/** One names an owner that is shown in another namespace, while the rest of the owner's kind is still being listed. */
const OWNER_ELSEWHERE: [ObjectPlan[], Step[]] = [
  [
    { resource: 1, namespace: "b", owners: [{ to: 2, block: true }] },
    { resource: 1, namespace: "a", owners: [] },
    { resource: 0, namespace: "a", owners: [] },
    { resource: 0, namespace: "a", owners: [] },
  ],
  [
    { type: "deliver", resource: 1, steps: 1 },
    { type: "deliver", resource: 0, steps: Infinity },
    { type: "work", pick: 3, interrupted: false },
  ],
];

Deno.test("GarbageCollector: an object with a live owner is never deleted, one whose owners are all absent ends up deleted", async () => {
  await fc.assert(
    fc.asyncProperty(plans, fc.array(step, { maxLength: 60 }), async (planned, steps) => {
      const simulation = new Simulation(planned);
      await simulation.run(steps);
      await simulation.settle();
      simulation.checkEnd();
    }),
    { numRuns: 200, examples: [CIRCLE_UNSEEN, OWNER_ELSEWHERE] },
  );
});
