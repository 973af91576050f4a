/** The small parts that simulated nodes and the scheduler are made of. */
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { FakeWorld, settle } from "../../../../src/base/mod.ts";
import { Client } from "../../../../src/client/mod.ts";
import { tolerates } from "../../../../src/rules/mod.ts";
import { NodeRoom, PlainEvents, portsConflict, SeriesEvents } from "../../../../src/sandbox/common/mod.ts";
import { EventSender } from "../../../../src/sandbox/common/event_sender.ts";
import { readScripts } from "../../../../src/sandbox/nodes/annotations.ts";
import { DelayedActions } from "../../../../src/sandbox/common/delayed_actions.ts";
import { Fleet } from "../../../../src/sandbox/nodes/fleet.ts";
import { isImageName } from "../../../../src/sandbox/nodes/images.ts";
import { IpPool } from "../../../../src/sandbox/nodes/ip_pool.ts";
import { PodRecord } from "../../../../src/sandbox/nodes/pod_record.ts";
import { newRuntime } from "../../../../src/sandbox/nodes/pod_runtime.ts";
import { PodPlan } from "../../../../src/sandbox/nodes/plan.ts";

const TIMES = { podStartMs: 1, podStopMs: 2, podRunMs: 3, initRunMs: 4 };

Deno.test("readScripts says what it cannot understand, and leaves it out", () => {
  const rows: [string, string, string][] = [
    ["run-for", "a while", 'time: invalid duration "a while"'],
    ["run-for", "", 'time: invalid duration ""'],
    ["ready-after", "c=never,5", 'time: missing unit in duration "5"'],
    ["stop-after", "-5s", '"-5s" is less than zero'],
    ["exit-code", "256", '"256" is not an exit code from 0 to 255'],
    ["exit-code", "main=1,x", '"x" is not an exit code from 0 to 255'],
    ["stop-code", "1.5", '"1.5" is not an exit code from 0 to 255'],
    ["cpu-usage", "main=1,-5m", '"-5m" is less than zero'],
    [
      "memory-usage",
      "1GB",
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ];
  for (const [name, text, why] of rows) {
    const scripts = readScripts({ metadata: { annotations: { [`kubeloop.dev/${name}`]: text, other: "x" } } });
    assertEquals(scripts, { problems: [`annotation kubeloop.dev/${name} is ignored: ${why}`] });
  }
  const { problems } = readScripts({ metadata: { annotations: { "kubeloop.dev/exit-cod": "1" } } });
  assertStringIncludes(problems[0], "annotation kubeloop.dev/exit-cod is ignored: it is not one of kubeloop.dev/");
});

Deno.test("PodPlan picks values by container, by completion index, and by run", () => {
  const annotations = {
    "kubeloop.dev/exit-code": "1,0,log=3,@2=9",
    "batch.kubernetes.io/job-completion-index": "2",
  };
  const spec = { restartPolicy: "Never", containers: [] };
  const code = (name: string, run: number, index?: string, role: "main" | "init" = "main") => {
    const own = index === undefined ? { "kubeloop.dev/exit-code": annotations["kubeloop.dev/exit-code"] } : annotations;
    return new PodPlan({ metadata: { annotations: own }, spec }, TIMES).exit({ role, container: { name } }, run).code;
  };
  assertEquals([code("c", 0), code("c", 1), code("c", 9)], [1, 0, 0]);
  assertEquals([code("log", 0), code("log", 5), code("log", 0, "2")], [3, 3, 3]);
  assertEquals([code("c", 0, "2"), code("c", 7, "2")], [9, 9]);
  assertEquals(code("c", 0, undefined, "init"), 0, "what has no name is not for init containers");
});

Deno.test("PodPlan lets containers run for as long as their role and policy say", () => {
  const run = (role: "main" | "init" | "sidecar", restartPolicy: string, annotations?: Record<string, string>) =>
    new PodPlan({ metadata: { annotations }, spec: { restartPolicy, containers: [] } }, TIMES)
      .runMs({ role, container: { name: "c" } }, 0);
  assertEquals([run("main", "Always"), run("main", "Never"), run("init", "Always"), run("sidecar", "Never")], [
    Infinity,
    3,
    4,
    Infinity,
  ]);
  assertEquals(run("main", "Always", { "kubeloop.dev/exit-code": "0" }), 3);
  assertEquals(run("main", "Never", { "kubeloop.dev/run-for": "forever" }), Infinity);
});

Deno.test("PodRecord believes what was written until something newer is seen", () => {
  const record = new PodRecord(
    new Fleet().add("n", { capacity: {}, labels: {}, taints: [], isExternal: false }),
    newRuntime(0),
  );
  const seen = (resourceVersion: string, phase: string) =>
    record.statusOf({ metadata: { resourceVersion }, status: { phase } });
  assertEquals(seen("5", "Pending").phase, "Pending");
  record.wrote({}, { phase: "Running" }, "9");
  assertEquals(seen("8", "Pending").phase, "Running");
  assertEquals(seen("10", "Failed").phase, "Failed");
});

Deno.test("SimulatedNode is not told older things about its Node than it knows, unless it is another Node", () => {
  const node = new Fleet().add("n", { capacity: {}, labels: {}, taints: [], isExternal: false });
  const object = (uid: string, resourceVersion: string) => ({ metadata: { name: "n", uid, resourceVersion } });
  for (const [uid, version] of [["a", "5"], ["a", "9"], ["a", "7"], ["b", "8"]]) node.see(object(uid, version));
  assertEquals(node.object?.metadata?.resourceVersion, "8");
  for (const version of ["12", "10"]) node.see(object("b", version));
  assertEquals(node.object?.metadata?.resourceVersion, "12");
});

Deno.test("isImageName knows what can be pulled at all", () => {
  const names = ["nginx", "reg.io:5000/a/b:1.2", "a@sha256:" + "0".repeat(64), "Upper", "a b", "", "a:", "-a", "a//b"];
  assertEquals(names.filter(isImageName), names.slice(0, 3));
});

Deno.test("IpPool: a released address is reused only after all others", () => {
  const pool = new IpPool("10.0.0.0/29", { first: 1 });
  const taken = ["a", "b", "c"].map((holder) => pool.take(holder));
  assertEquals(taken, ["10.0.0.1", "10.0.0.2", "10.0.0.3"]);
  pool.giveBack("a");
  assertEquals(["d", "e", "f", "g"].map((holder) => pool.take(holder)), [
    "10.0.0.4",
    "10.0.0.5",
    "10.0.0.6",
    "10.0.0.1",
  ]);
  pool.giveBack("c");
  assertEquals(pool.take("h"), "10.0.0.3", "the only one that is free");
});

Deno.test("IpPool: a holder that asks again gets the address it has; no address is assigned to two holders, unless all are taken", () => {
  const pool = new IpPool("10.0.0.0/29", { first: 1 });
  const holders = ["a", "b", "c", "d", "e", "f"];
  const given = holders.map((holder) => pool.take(holder));
  assertEquals(new Set(given).size, holders.length);
  assertEquals(holders.map((holder) => pool.take(holder)), given);
  assertEquals(given.includes(pool.take("one too many")), true);
});

Deno.test("IpPool leaves out addresses that somebody has already", () => {
  const pool = new IpPool("10.9.0.0/24");
  pool.keep("old", "10.9.0.2");
  assertEquals([pool.take("new"), pool.take("old")], ["10.9.0.3", "10.9.0.2"]);
});

Deno.test("IpPool writes IPv6 addresses as short as they can be", () => {
  const first = (cidr: string) => new IpPool(cidr).take("a");
  assertEquals(
    ["fd00:10:244:1::/64", "::/96", "fd00:0:0:1::/64", "2001:db8:0:1:1:1:1:0/112"].map(first),
    ["fd00:10:244:1::2", "::2", "fd00:0:0:1::2", "2001:db8:0:1:1:1:1:2"],
  );
});

Deno.test("IpPool refuses what is not a network", () => {
  for (const cidr of ["10.0.0.0", "10.0.0/8", "10.0.0.0/33", "fd00::x/64", "1.2.3.400/8"]) {
    assertThrows(() => new IpPool(cidr), TypeError, "Cannot use");
  }
});

Deno.test("DelayedActions: a key runs once its delay has passed and a worker is free; scheduling it again may bring it forward, but never postpones it", async () => {
  const world = new FakeWorld();
  const ran: [string, number][] = [];
  const run = (key: string) => Promise.resolve(void ran.push([key, world.clock.monotonicMs()]));
  const actions = new DelayedActions({ world, workers: 2, run });
  actions.schedule("sooner", 100);
  actions.schedule("sooner", 10);
  actions.schedule("later", 20);
  actions.schedule("later", 500);
  await world.clock.advance(1000);
  assertEquals(ran, [["sooner", 10], ["later", 20]]);
  await actions.close();
});

Deno.test("DelayedActions: a key never runs twice at the same time; if it is scheduled meanwhile, it runs again afterwards", async () => {
  const world = new FakeWorld();
  const ends: (() => void)[] = [];
  const actions = new DelayedActions({ world, workers: 5, run: () => new Promise((resolve) => ends.push(resolve)) });
  actions.schedule("a", 0);
  await world.clock.advance(0);
  actions.schedule("a", 0);
  await world.clock.advance(10);
  assertEquals(ends.length, 1);
  ends[0]();
  await world.clock.advance(0);
  assertEquals(ends.length, 2);
  ends[1]();
  await actions.close();
});

Deno.test("DelayedActions: after close no timer is left, and no action starts any more", async () => {
  const world = new FakeWorld();
  const ran: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const run = (key: string) => (ran.push(key), promise);
  const actions = new DelayedActions({ world, workers: 1, run });
  for (const [key, delayMs] of [["begun", 0], ["waits for a worker", 0], ["waits for its time", 1000]] as const) {
    actions.schedule(key, delayMs);
  }
  await world.clock.advance(0);
  const closed = actions.close();
  assertEquals(world.clock.pendingTimers, 0);
  resolve();
  await closed;
  actions.schedule("too late", 0);
  await world.clock.advance(5000);
  assertEquals([ran, world.clock.pendingTimers], [["begun"], 0]);
});

Deno.test("NodeRoom: a pod that requests nothing only needs a place among the pods", () => {
  const room = new NodeRoom(new Map([["cpu", 100], ["pods", 2]]));
  room.put("a", new Map([["cpu", 300]]));
  assertEquals(room.shortages(new Map()), []);
  assertEquals(room.shortages(new Map([["cpu", 0]])), []);
  room.put("b", new Map());
  assertEquals(room.shortages(new Map()).map(({ resource }) => resource), ["pods"]);
});

Deno.test("NodeRoom: a pod counts once, however often it is put there, with its latest requests; after a pod is taken away, the totals are what they were without it", () => {
  const room = new NodeRoom(new Map([["cpu", 1000], ["pods", 2]]));
  room.put("a", new Map([["cpu", 500]]));
  room.put("a", new Map([["cpu", 700]]));
  assertEquals([room.used("cpu"), room.podCount], [700, 1]);
  room.put("b", new Map());
  assertEquals(room.shortages(new Map([["cpu", 400], ["x.y/z", 1]])), [
    { resource: "pods", requested: 1, used: 2, capacity: 2 },
    { resource: "cpu", requested: 400, used: 700, capacity: 1000 },
    { resource: "x.y/z", requested: 1, used: 0, capacity: 0 },
  ]);
  room.take("a");
  room.take("a");
  assertEquals([room.used("cpu"), room.shortages(new Map([["cpu", 1000]]))], [0, []]);
});

Deno.test("tolerates compares keys, values and effects", () => {
  const taint = { key: "k", value: "v", effect: "NoSchedule" };
  assertEquals(tolerates({ key: "k", operator: "Equal", value: "v", effect: "NoSchedule" }, taint), true);
  assertEquals(tolerates({ key: "k", operator: "Exists", effect: "NoExecute" }, taint), false);
  assertEquals(tolerates({ key: "other", operator: "Exists" }, taint), false);
  assertEquals(tolerates({ key: "k" }, { key: "k", effect: "NoSchedule" }), true);
});

Deno.test("portsConflict sees that one address stands for all", () => {
  const port = (ip: string, port = 80, protocol = "TCP") => ({ ip, port, protocol });
  const rows: [ReturnType<typeof port>, ReturnType<typeof port>, boolean][] = [
    [port("0.0.0.0"), port("10.0.0.1"), true],
    [port("10.0.0.1"), port("10.0.0.2"), false],
    [port("10.0.0.1"), port("10.0.0.1"), true],
    [port("0.0.0.0"), port("0.0.0.0", 81), false],
    [port("0.0.0.0"), port("0.0.0.0", 80, "UDP"), false],
  ];
  for (const [a, b, wanted] of rows) assertEquals([portsConflict(a, b), portsConflict(b, a)], [wanted, wanted]);
});

/** A server that takes events, or refuses them, one answer after the other. */
function eventServer(world: FakeWorld, answers: readonly number[]) {
  const seen: string[] = [];
  const transport = async (request: Request) => {
    const status = answers[seen.length] ?? 201;
    const { reason, count } = await request.json();
    seen.push(`${request.method} ${reason ?? count}`);
    const body = status < 300 ? { kind: "Event" } : { kind: "Status", status: "Failure", code: status };
    return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
  };
  return { seen, client: new Client({ world, transport, server: "http://server", userAgent: "t" }) };
}

const about = { kind: "Pod", namespace: "n", name: "p", uid: "u" };

Deno.test("EventSender: send never blocks and never fails", async () => {
  const sender = new EventSender(new FakeWorld());
  const begun: string[] = [];
  sender.send("fails", () => {
    begun.push("fails");
    throw new Error("refused");
  });
  sender.send("hangs", (signal) => {
    begun.push("hangs");
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  sender.send("waits", () => Promise.resolve(void begun.push("waits")));
  assertEquals(begun, [], "nothing is written while somebody tells");
  await settle();
  assertEquals(begun, ["fails", "hangs"]);
  await sender.close();
  assertEquals(begun, ["fails", "hangs"]);
});

Deno.test("SeriesEvents: recording an event never blocks and never fails", async () => {
  const world = new FakeWorld();
  const { seen, client } = seriesServer(world, [403, 403]);
  const events = new SeriesEvents({ world, client, controller: "default-scheduler" });
  for (const reason of ["A", "B", "C"]) events.tell({ ...tried, reason });
  assertEquals(seen, [], "nothing is written while somebody tells");
  await world.clock.advance(0);
  assertEquals(seen, ["POST A 1", "POST B 1", "POST C 1"]);
  await events.close();
  events.tell(tried);
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("PlainEvents: when the same thing happens again to the same object, in the same words, the count of the existing event goes up, or makes it anew when it is gone", async () => {
  const world = new FakeWorld();
  const { seen, client } = eventServer(world, [201, 200, 404]);
  const events = new PlainEvents({ world, client, component: "kubelet" });
  for (let i = 0; i < 3; i++) events.tell({ about, type: "Normal", reason: "Pulled", message: "m" });
  events.tell({ about, type: "Normal", reason: "Pulled", message: "other words" });
  await world.clock.advance(0);
  assertEquals(seen, ["POST Pulled", "PATCH 2", "PATCH 3", "POST Pulled", "POST Pulled"]);
  await events.close();
});

Deno.test("PlainEvents: recording an event never blocks and never fails; EventSender: no more than capacity events wait; an event that the server refuses is dropped; after close nothing more is sent", async () => {
  const world = new FakeWorld();
  const { seen, client } = eventServer(world, [403]);
  const events = new PlainEvents({ world, client, component: "kubelet", capacity: 2 });
  for (const reason of ["A", "B", "C", "D"]) events.tell({ about, type: "Normal", reason, message: "m" });
  await world.clock.advance(0);
  assertEquals([seen, events.dropped], [["POST A", "POST B"], 3]);
  await events.close();
  events.tell({ about, type: "Normal", reason: "E", message: "m" });
  await world.clock.advance(0);
  assertEquals(seen.length, 2, "after close nothing is sent");
});

const tried = { about, type: "Warning", reason: "FailedScheduling", action: "Scheduling", note: "m" } as const;

Deno.test("SeriesEvents: when the same thing happens again to an unchanged object, no further event is made; after six minutes without a repetition, the next one makes a new event; after close no timer is left", async () => {
  const world = new FakeWorld();
  const { seen, client } = seriesServer(world, [201, 200, 200, 201]);
  const events = new SeriesEvents({ world, client, controller: "default-scheduler" });
  for (let i = 0; i < 5; i++) events.tell(tried);
  await world.clock.advance(0);
  assertEquals(seen, ["POST FailedScheduling 1", "PATCH 2"]);
  await world.clock.advance(6 * 60_000);
  assertEquals(seen.splice(0), ["POST FailedScheduling 1", "PATCH 2", "PATCH 5"]);
  events.tell(tried);
  await world.clock.advance(0);
  assertEquals(seen, ["POST FailedScheduling 1"], "what has ended begins anew");
  await events.close();
  assertEquals(world.clock.pendingTimers, 0, "no timer is left");
});

Deno.test("SeriesEvents says what is gone again, with its count, and tells objects that have changed apart", async () => {
  const world = new FakeWorld();
  const { seen, client } = seriesServer(world, [201, 404, 201, 201]);
  const events = new SeriesEvents({ world, client, controller: "default-scheduler" });
  events.tell(tried);
  events.tell(tried);
  events.tell({ ...tried, about: { ...about, resourceVersion: "2" } });
  await world.clock.advance(0);
  assertEquals(seen, [
    "POST FailedScheduling 1",
    "PATCH 2",
    "POST FailedScheduling 2",
    "POST FailedScheduling 1",
  ]);
  await events.close();
});

Deno.test("SeriesEvents cuts notes that the API server would refuse, and forgets the oldest of too many events", async () => {
  const world = new FakeWorld();
  const notes: string[] = [];
  const transport = async (request: Request) => {
    const { note } = await request.json();
    if (note) notes.push(note);
    return Response.json({ metadata: { name: "e" } }, { status: 201 });
  };
  const client = new Client({ world, transport, server: "http://server", userAgent: "t" });
  const events = new SeriesEvents({ world, client, controller: "default-scheduler" });
  events.tell({ ...tried, note: "x".repeat(2000) });
  for (let i = 0; i < 4096; i++) events.tell({ ...tried, about: { ...about, uid: String(i) } });
  await world.clock.advance(0);
  assertEquals([notes[0].length, notes[0].slice(-5), notes.length], [1024, "x ...", 4097]);
  events.tell({ ...tried, note: "again" });
  await world.clock.advance(0);
  assertEquals(notes.at(-1), "again", "it is not known any more that there was one");
  await events.close();
});

/** Answers with these codes in turn; `seen` is what was sent: the reason of an event, and how often it has happened. */
function seriesServer(world: FakeWorld, codes: number[]): { seen: string[]; client: Client } {
  const seen: string[] = [];
  const transport = async (request: Request) => {
    const status = codes.shift() ?? 200;
    const { reason, series } = await request.json();
    seen.push([request.method, reason, series?.count ?? 1].filter(Boolean).join(" "));
    const body = status < 300 ? { metadata: { name: "e" } } : { kind: "Status", status: "Failure", code: status };
    return Response.json(body, { status });
  };
  return { seen, client: new Client({ world, transport, server: "http://server", userAgent: "t" }) };
}
