import { assert, assertEquals } from "@std/assert";
import { FakeClock, FakeWorld, runAtOnce, TurnBudget } from "../../../src/base/mod.ts";
import {
  type ControllerRevision,
  type KubeObject,
  labelSelectorSteps,
  matchesNodeAffinity,
  type Pod,
  PODS,
  selectorOf,
} from "../../../src/api/mod.ts";
import { Client } from "../../../src/client/mod.ts";
import { readRevisions, revisionDataOf, revisionDataSteps } from "../../../src/controllers/revisions/mod.ts";
import { newReplicaSet } from "../../../src/controllers/deployment/new_replica_set.ts";
import { findReplicaSets } from "../../../src/controllers/deployment/replica_sets.ts";
import { Graph, GraphNode } from "../../../src/controllers/garbage_collector/graph.ts";
import { graphvizText } from "../../../src/controllers/garbage_collector/graphviz.ts";
import { SelectorRegistry } from "../../../src/controllers/horizontal_pod_autoscaler/selector_registry.ts";
import { BusyClock } from "./busy_clock.ts";
import { deployment, replicaSet, template } from "../controllers/deployment/fixtures.ts";
import { stepsOf } from "./steps.ts";

const MANY = 200;

function* counting(count: number): Generator<void, number> {
  for (let i = 0; i < count; i++) yield;
  return count;
}

Deno.test("TurnBudget.run gives turns while it is spent, none while it is not, and what the work comes to", async () => {
  const busy = new BusyClock();
  assertEquals(await new TurnBudget(busy).run(counting(MANY)), MANY);
  assertEquals(busy.turns, MANY);
  assertEquals(await new TurnBudget(new FakeClock()).run(counting(MANY)), MANY);
});

Deno.test("TurnBudget.run looks at the clock once in four steps while they are small, and after each that is not", async () => {
  const clock = new FakeClock();
  let looks = 0;
  let nowMs = 0;
  const counted = Object.assign(clock, { monotonicMs: () => (looks++, nowMs) });
  const longest: number[] = [];
  function* steps(): Generator<void, void> {
    for (let i = 0; i < 1600; i++) yield;
    const small = looks;
    for (let i = 0; i < 100; i++) {
      nowMs += 1;
      yield;
    }
    longest.push(small, looks - small);
  }
  await new TurnBudget(counted).run(steps());
  const [small, large] = longest;
  assert(small <= 410, `${small} looks for 1600 small steps`);
  assert(large >= 85, `${large} looks for 100 steps of a millisecond`);
});

Deno.test("TurnBudget.run rejects with what a step throws", async () => {
  function* failing(): Generator<void, void> {
    yield;
    throw new RangeError("too far");
  }
  const error = await new TurnBudget(new BusyClock()).run(failing()).catch((error) => error);
  assertEquals(String(error), "RangeError: too far");
});

Deno.test("a template of any size is hashed for a ReplicaSet, and written for a revision, with turns in between", async () => {
  const clock = new BusyClock();
  const wanted = deployment({ template: template() });
  const made = await new TurnBudget(clock).run(newReplicaSet(wanted, [], 1n));
  assertEquals(made, runAtOnce(newReplicaSet(wanted, [], 1n)));
  assertEquals(clock.turns, 3, "before the hash, the annotations, and the ReplicaSet");

  const [once, slowly] = [template(), template()];
  clock.turns = 0;
  const data = await new TurnBudget(clock).run(revisionDataSteps(slowly, "double"));
  assertEquals(data, revisionDataOf(once, "double"));
  assertEquals(clock.turns, 2, "before the copy and its text");
  await new TurnBudget(clock).run(revisionDataSteps(slowly, "double"));
  assertEquals(clock.turns, 2, "it is known from then on");
});

Deno.test("Client: objects that are created at once are written down with turns of the event loop in between", async () => {
  const clock = new BusyClock({ lookMs: 5 });
  const world = { ...new FakeWorld(), clock };
  const answer = () => Promise.resolve(Response.json({ kind: "Pod" }));
  const client = new Client({ world, transport: answer, server: "https://example.test", userAgent: "test" });
  let written = 0;
  let mostAtOnce = 0;
  const turnOf: number[] = [];
  const object = (name: string): KubeObject => ({
    metadata: {
      name,
      namespace: "a",
      get annotations() {
        written++;
        turnOf.push(clock.turns);
        return {};
      },
    },
  });
  await Promise.all(Array.from({ length: MANY }, (_, i) => client.create<Pod>(PODS, object(`p${i}`) as Pod)));
  for (const turn of new Set(turnOf)) {
    mostAtOnce = Math.max(
      mostAtOnce,
      turnOf.filter((other) => other === turn).length,
    );
  }
  assert(written >= MANY, `${written} written`);
  assert(mostAtOnce <= 4, `${mostAtOnce} were written down without a turn`);
});

Deno.test("Client: answers of many bytes are read a few a turn", async () => {
  const clock = new BusyClock({ lookMs: 5 });
  const world = { ...new FakeWorld(), clock };
  const large = JSON.stringify({ kind: "Pod", metadata: { name: "x", annotations: { a: "x".repeat(100_000) } } });
  const client = new Client({
    world,
    transport: () => Promise.resolve(new Response(large)),
    server: "https://example.test",
    userAgent: "test",
  });
  await Promise.all(Array.from({ length: 20 }, () => client.get(PODS, { namespace: "a", name: "x" })));
  assert(clock.turns >= 5, `${clock.turns} turns`);
});

Deno.test("findReplicaSets compares templates with turns in between", async () => {
  const clock = new BusyClock();
  const sets = Array.from({ length: MANY }, (_, i) => replicaSet(`r-${i}`, 1, { image: "nginx:1" }));
  await findReplicaSets(deployment(), sets, { clock });
  assert(clock.turns >= MANY, `${clock.turns} turns`);
});

Deno.test("readRevisions reads revisions with turns in between", async () => {
  const clock = new BusyClock();
  const revisions = Array.from({ length: MANY }, (_, revision): ControllerRevision => ({ revision, data: {} }));
  await readRevisions(revisions, new TurnBudget(clock));
  assert(clock.turns >= MANY, `${clock.turns} turns`);
});

Deno.test("SelectorRegistry.selecting takes a step for each pod, and each autoscaler and pod", () => {
  const registry = new SelectorRegistry();
  const pods = Array.from({ length: 20 }, (_, i): Pod => ({ metadata: { labels: { n: `${i}` } } }));
  for (let i = 0; i < MANY; i++) {
    registry.register(`a/h${i}`);
    registry.set(`a/h${i}`, selectorOf({ matchLabels: { n: i === 7 ? "19" : "none" } }));
  }
  const { result, steps } = stepsOf(registry.selecting("a", pods));
  assertEquals(result, ["a/h7"]);
  assertEquals(steps, pods.length + MANY * pods.length);
});

Deno.test("labelSelectorSteps takes a step for each requirement, and each value and comma of a list", () => {
  const values = Array.from({ length: MANY }, (_, i) => `v${i}`);
  const listed = stepsOf(labelSelectorSteps(`app in (${values.join(",")})`));
  assertEquals([listed.result.requirements[0].values.length, listed.steps], [MANY, 1 + MANY + MANY - 1]);
  const joined = stepsOf(labelSelectorSteps(values.map((value) => `${value}=x`).join(",")));
  assertEquals([joined.result.requirements.length, joined.steps], [MANY, MANY]);
});

Deno.test("graphvizText takes a step for each reference, from an owner to its dependents too", () => {
  const graph = new Graph();
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "o" };
  const owner = new GraphNode({ ...reference, namespace: "a" });
  graph.put(owner);
  for (let i = 0; i < MANY; i++) {
    const identity = { ...reference, name: `d${i}`, uid: `d${i}`, namespace: "a" };
    const dependent = new GraphNode(identity, { owners: [reference] });
    graph.put(dependent);
    owner.addDependent(dependent);
  }
  const { result, steps } = stepsOf(graphvizText(graph, { uids: ["o"] }));
  assertEquals(result.split(" -> ").length - 1, MANY);
  // Found, walked from either end, written, with its edge, and joined.
  assert(steps >= 6 * MANY, `${steps} steps`);
});

/** `values`, and how often one of them was read. */
function watched(values: readonly string[]): { readonly values: string[]; reads(): number } {
  let reads = 0;
  const proxy = new Proxy([...values], {
    get(list, key, receiver) {
      if (typeof key === "string" && /^\d+$/.test(key)) reads++;
      return Reflect.get(list, key, receiver);
    },
  });
  return { values: proxy, reads: () => reads };
}

const VALUES = Array.from({ length: 1000 }, (_, i) => `value-${i}`);

Deno.test("matchesNodeAffinity reads the values of a requirement once for all nodes", () => {
  const { values, reads } = watched(VALUES);
  for (const operator of ["In", "NotIn"]) {
    const nodeSelectorTerms = [{ matchExpressions: [{ key: "at", operator, values }] }];
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
    const pod: Pod = { spec: { containers: [], affinity: { nodeAffinity } } };
    const fits = (at: string) => matchesNodeAffinity(pod, { metadata: { name: "n", labels: { at } } });
    for (let i = 0; i < MANY; i++) {
      assertEquals([fits("value-999"), fits("value-1000")], operator === "In" ? [true, false] : [false, true]);
    }
  }
  assert(reads() <= 2 * VALUES.length, `${reads()} reads`);
});

Deno.test("a label selector finds a value among many as it finds one among few", () => {
  for (const count of [1, 16, 17, 1000]) {
    const values = VALUES.slice(0, count);
    for (const operator of ["In", "NotIn"]) {
      const selector = selectorOf({ matchExpressions: [{ key: "a", operator, values }] });
      const found = [`value-${count - 1}`, `value-${count}`, "constructor"].map((a) => selector.matches({ a }));
      assertEquals(
        [...found, selector.matches({})],
        operator === "In" ? [true, false, false, false] : [false, true, true, true],
      );
    }
  }
});
