import { assertEquals, assertRejects } from "@std/assert";
import { Deferred, FakeClock, settle } from "../../../../src/base/mod.ts";
import type { AttachedVolume, Node } from "../../../../src/api/mod.ts";
import { ActualState } from "../../../../src/controllers/persistentvolume_attach_detach/actual_state.ts";
import { DesiredState } from "../../../../src/controllers/persistentvolume_attach_detach/desired_state.ts";
import { NodeReports } from "../../../../src/controllers/persistentvolume_attach_detach/node_reports.ts";
import type { VolumeSpec } from "../../../../src/controllers/volumes/mod.ts";

const specOf = (name: string): VolumeSpec => ({ from: "pod", volume: { name } });
const SPEC = specOf("s");
const pod = (uid: string) => ({ apiVersion: "v1", kind: "Pod", namespace: "a", name: uid, uid });

/** What a state has told, in order; `take` gives it and forgets it. */
class Told {
  #lines: string[] = [];

  note(...words: unknown[]): void {
    this.#lines.push(words.join(" "));
  }

  take(): string[] {
    return this.#lines.splice(0);
  }
}

function desiredState() {
  const told = new Told();
  const desired = new DesiredState({
    onChange: (volume, node) => told.note(volume, node),
    onCount: (_spec, by) => told.note(by),
  });
  return { told, desired };
}

Deno.test('DesiredState: "A volume is wanted on a node as long as there is a pod that wants it there"', () => {
  const { told, desired } = desiredState();
  desired.manage("n");
  desired.add({ volume: "v", node: "n", spec: SPEC }, pod("1"));
  desired.add({ volume: "v", node: "n", spec: specOf("other") }, pod("2"));
  desired.add({ volume: "v", node: "n", spec: SPEC }, pod("1"));
  assertEquals(told.take(), ["1", "v n"]);
  assertEquals([...desired.nodesOf("v").values()].map(({ spec }) => spec), [SPEC], "the first one is kept");
  desired.removePod("1");
  assertEquals([told.take(), desired.has("v", "n")], [[], true]);
  desired.removePod("2");
  desired.removePod("2");
  assertEquals([told.take(), desired.has("v", "n"), [...desired.pods()]], [["-1", "v n"], false, []]);
});

Deno.test('DesiredState: "Only nodes that were found to be managed have volumes"; losing the annotation does not change that', () => {
  const { told, desired } = desiredState();
  desired.add({ volume: "v", node: "n", spec: SPEC }, pod("1"));
  assertEquals([told.take(), [...desired.pods()]], [[], []]);
  assertEquals([desired.manage("n"), desired.manage("n"), desired.isManaged("n")], [true, false, true]);
});

Deno.test('DesiredState: "A node that is gone is forgotten once nothing is wanted there"', () => {
  const { desired } = desiredState();
  for (const node of ["n", "m"]) desired.manage(node);
  desired.add({ volume: "v", node: "n", spec: SPEC }, pod("1"));
  for (const node of ["n", "m", "unknown"]) desired.forgetNode(node);
  assertEquals(["n", "m"].map((node) => desired.isManaged(node)), [true, false]);
  desired.removePod("1");
  assertEquals(desired.isManaged("n"), false);
});

Deno.test("DesiredState forgets the pods of a volume that is wanted no more", () => {
  const { desired } = desiredState();
  desired.manage("n");
  for (const volume of ["v", "w"]) desired.add({ volume, node: "n", spec: SPEC }, pod("1"));
  desired.removeVolume("v", "n");
  desired.removeVolume("v", "n");
  assertEquals([...desired.volumes()].map(({ volume }) => volume), ["w"]);
  assertEquals([...desired.pods()].length, 1);
  desired.removeVolume("w", "n");
  assertEquals([...desired.pods()].length, 0);
});

Deno.test('DesiredState: "Lookups do not get slower as other volumes and nodes are added"', () => {
  const { told, desired } = desiredState();
  const begunMs = performance.now();
  for (let i = 0; i < 30_000; i++) {
    desired.manage(`n${i % 500}`);
    desired.add({ volume: `v${i}`, node: `n${i % 500}`, spec: SPEC }, pod(String(i)));
  }
  for (let i = 0; i < 30_000; i++) desired.removePod(String(i));
  assertEquals(told.take().length, 120_000);
  assertEquals(performance.now() - begunMs < 5_000, true);
});

function actualState() {
  const told = new Told();
  const actual = new ActualState({
    onChange: (volume, node) => told.note("look at", volume, node),
    onAttached: (volume, node, isAttached) => told.note(isAttached ? "attached" : "gone", volume, node),
    onCount: (_spec, by) => told.note("count", by),
  });
  const note = (node: string, { spec, isConfirmed = true, devicePath = "" }: {
    spec?: VolumeSpec;
    isConfirmed?: boolean;
    devicePath?: string;
  } = {}) => actual.note({ volume: "v", node, spec, devicePath, isConfirmed });
  return { told, actual, note };
}

Deno.test('ActualState: "A finding sets description and device path of the volume wherever it is attached"', () => {
  const { told, actual, note } = actualState();
  note("n");
  note("m", { isConfirmed: false });
  assertEquals(told.take(), ["attached v n", "look at v n", "look at v m"]);
  note("n", { spec: SPEC, devicePath: "/d" });
  const { spec, devicePath, nodes } = actual.get("v")!;
  assertEquals([spec, devicePath, nodes.size], [SPEC, "/d", 2]);
  assertEquals(told.take(), ["count 2", "attached v n", "look at v n"]);
  assertEquals(["n", "m", "o"].map((node) => actual.stateOf("v", node)), ["attached", "uncertain", "detached"]);
  actual.remove("v", "n");
  assertEquals(told.take(), ["count -1", "gone v n", "look at v n"]);
  actual.remove("v", "m");
  actual.remove("v", "m");
  assertEquals([actual.get("v"), [...actual.volumes()]], [undefined, []]);
});

Deno.test('ActualState: "A volume that is new on a node counts as in use there", until its kubelet is heard the next time', () => {
  const { told, actual, note } = actualState();
  actual.setInUse("n", ["other"]);
  note("n");
  assertEquals(actual.isInUse("v", "n"), true);
  told.take();
  note("n", { isConfirmed: false });
  actual.setInUse("n", []);
  assertEquals([actual.isInUse("v", "n"), told.take()], [false, ["look at v n", "look at v n"]]);
  note("n");
  assertEquals(actual.isInUse("v", "n"), false, "it is not new any more");
});

Deno.test('ActualState: "What a kubelet says replaces what it has said before"', () => {
  const { told, actual, note } = actualState();
  note("n");
  for (const volumes of [["v", "w"], ["v"], [], ["w"], ["v"]]) actual.setInUse("n", volumes);
  const looks = told.take().filter((line) => line.startsWith("look")).length;
  assertEquals([looks, actual.isInUse("v", "n"), actual.isInUse("w", "n")], [3, true, false]);
});

Deno.test('ActualState: "A node without volumes is forgotten once it is gone"', () => {
  const { actual, note } = actualState();
  actual.setInUse("m", ["v"]);
  actual.forgetNode("m");
  assertEquals(actual.isInUse("v", "m"), false);
  actual.setInUse("n", ["w"]);
  note("n");
  actual.forgetNode("n");
  assertEquals([...actual.volumesOn("n")], ["v"]);
  actual.remove("v", "n");
  assertEquals(actual.isInUse("w", "n"), false);
});

Deno.test("ActualState remembers since when a volume is not wanted, until it is again", () => {
  const { actual, note } = actualState();
  note("n");
  assertEquals([actual.unwanted("v", "n", 5), actual.unwanted("v", "n", 9)], [5, 5]);
  note("n", { isConfirmed: false });
  assertEquals(actual.unwanted("v", "n", 9), 5, "a failed attempt changes nothing");
  actual.wanted("v", "n");
  assertEquals([actual.unwanted("v", "n", 11), actual.unwanted("w", "n", 12)], [11, 12]);
});

Deno.test('ActualState: "Lookups do not get slower as other volumes and nodes are added"', () => {
  const { actual } = actualState();
  const begunMs = performance.now();
  for (let i = 0; i < 30_000; i++) {
    actual.note({ volume: `v${i}`, node: `n${i % 500}`, spec: SPEC, devicePath: "", isConfirmed: true });
  }
  for (let i = 0; i < 30_000; i++) actual.remove(`v${i}`, `n${i % 500}`);
  assertEquals(performance.now() - begunMs < 5_000, true);
});

function nodeReports() {
  const written: [string, AttachedVolume[]][] = [];
  const stale: string[] = [];
  const nodes = new Map<string, Node>([["n", { metadata: { name: "n" } }]]);
  const writes: { run: () => Promise<void> } = { run: () => Promise.resolve() };
  const clock = new FakeClock();
  const reports = new NodeReports({
    clock,
    nodes: { get: (_namespace, name) => nodes.get(name) },
    devicePathOf: (volume) => `/dev/${volume}`,
    write: (node, volumes) => {
      written.push([node, [...volumes]]);
      return writes.run();
    },
    onStale: (node) => stale.push(node),
  });
  const names = () => written.splice(0).map(([, volumes]) => volumes.map(({ name }) => name).join());
  return { clock, reports, written, stale, nodes, writes, names };
}

Deno.test('NodeReports: "The whole list is written whenever something has changed since it was last written", and never otherwise', async () => {
  const { reports, written, stale } = nodeReports();
  await reports.publish("n");
  for (const volume of ["v", "w", "v"]) reports.add(volume, "n");
  for (let i = 0; i < 2; i++) await reports.publish("n");
  assertEquals(written.splice(0), [["n", [{ name: "v", devicePath: "/dev/v" }, { name: "w", devicePath: "/dev/w" }]]]);
  assertEquals([reports.remove("x", "n"), reports.remove("v", "n"), reports.remove("w", "n")], [false, true, true]);
  for (let i = 0; i < 2; i++) await reports.publish("n");
  assertEquals(written, [["n", []]]);
  assertEquals(stale, ["n", "n", "n", "n"]);
});

Deno.test('NodeReports: "What has changed when publish is called is written when it resolves", unless the node is gone', async () => {
  const { reports, names, writes } = nodeReports();
  const gate = new Deferred();
  writes.run = () => gate.promise;
  reports.add("v", "n");
  const first = reports.publish("n");
  await settle();
  reports.add("w", "n");
  let isSecondDone = false;
  const second = reports.publish("n").then(() => isSecondDone = true);
  await settle();
  assertEquals([names(), isSecondDone], [["v"], false]);
  gate.resolve();
  await Promise.all([first, second]);
  assertEquals(names(), ["v,w"]);
});

Deno.test('NodeReports: "One list of a node is written at a time"; all who wait for the next one share it', async () => {
  const { reports, names, writes } = nodeReports();
  const gate = new Deferred();
  writes.run = () => gate.promise;
  reports.add("a", "n");
  const all = [reports.publish("n")];
  await settle();
  for (const volume of ["b", "c", "d"]) {
    reports.add(volume, "n");
    all.push(reports.publish("n"));
  }
  await settle();
  assertEquals(names(), ["a"]);
  gate.resolve();
  await Promise.all(all);
  assertEquals(names(), ["a,b,c,d"]);
});

Deno.test(
  'NodeReports: "A failed write leaves everything to be written again, after 100 ms at first and after 1 s in the end"',
  async () => {
    const { clock, reports, names, writes, stale } = nodeReports();
    reports.add("v", "n");
    const { run } = writes;
    writes.run = () => Promise.reject(new Error("no luck"));
    const fails = () => assertRejects(() => reports.publish("n"), Error, "no luck");
    for (const delayMs of [100, 200, 400, 800, 1000, 1000]) {
      await fails();
      assertEquals(names(), ["v"]);
      await clock.advance(delayMs - 1);
      await fails();
      assertEquals(names(), [], "it is too early");
      await clock.advance(1);
    }
    writes.run = run;
    await reports.publish("n");
    assertEquals([names(), stale.length], [["v"], 7]);
  },
);

Deno.test('NodeReports: "Nothing is written for a node that is gone"; if it comes back, everything is written again', async () => {
  const { reports, names, nodes } = nodeReports();
  reports.add("v", "n");
  nodes.delete("n");
  reports.forgetNode("n");
  await reports.publish("n");
  assertEquals(names(), []);
  nodes.set("n", {});
  reports.renew("n");
  await reports.publish("n");
  assertEquals(names(), ["v"]);
});
