import { assertEquals } from "@std/assert";
import { formatTime, type JobCondition, type Pod } from "../../../../src/api/mod.ts";
import { finishedAtMs, nextBackoff, NO_BACKOFF, remainingBackoffMs } from "../../../../src/controllers/job/backoff.ts";
import { ensureCondition } from "../../../../src/controllers/job/conditions.ts";
import { matchSuccessPolicy } from "../../../../src/controllers/job/ending.ts";
import { Indexes } from "../../../../src/controllers/job/indexes.ts";
import { allIndexFailures, completionIndex, parseCount, validIndex } from "../../../../src/controllers/job/job_pods.ts";
import { observe } from "../../../../src/controllers/job/observation.ts";
import { compareForRemoval, podsToRemove } from "../../../../src/controllers/job/removal_order.ts";
import { ago, NOW_MS } from "../fake_times.ts";
import { INDEXED, job, pod, type PodTraits } from "./fixtures.ts";

/** The small parts of Jobs: sets of indexes, finish times, backoffs, the order of removal. */

Deno.test("Indexes: reading stops at the first interval that begins at or beyond completions, and leaves out what cannot be understood", () => {
  const rows: [text: string, completions: number, read: string][] = [
    ["", 5, ""],
    ["1", 5, "1"],
    ["1,2", 5, "1,2"],
    ["1,2,3", 5, "1-3"],
    ["0-2,4", 5, "0-2,4"],
    ["0-2,3-4", 5, "0-4"],
    ["0-9", 5, "0-4"],
    ["1,4,5,7", 5, "1,4"],
    ["x,1,2-y,3", 5, "1,3"],
    ["1-", 5, ""],
    ["0,5", 5, "0"],
    ["-1,2", 5, "2"],
  ];
  for (const [text, completions, read] of rows) assertEquals(String(Indexes.parse(text, completions)), read, text);
});

Deno.test("matchSuccessPolicy() asks for at least one succeeded index, whatever a rule says", () => {
  const owner = job({ ...INDEXED, completions: 3, successPolicy: { rules: [{ succeededCount: 0 }] } });
  assertEquals(matchSuccessPolicy(owner, Indexes.NONE), undefined);
  assertEquals(matchSuccessPolicy(owner, Indexes.parse("2", 3)), "Matched rules at index 0");
});

Deno.test("parseCount() takes natural numbers of 32 bits", () => {
  assertEquals(["7", "+7", "0", "2147483647"].map(parseCount), [7, 7, 0, 2147483647]);
  assertEquals(["-1", "x", "", "1.5", "2147483648", undefined].map(parseCount), [0, 0, 0, 0, 0, 0]);
});

Deno.test("completionIndex() and validIndex() take what the Job can have", () => {
  const owner = job({ ...INDEXED, completions: 3 });
  const of = (
    index?: number | string,
  ) => [completionIndex(pod("p", { index })), validIndex(pod("p", { index }), owner)];
  assertEquals([of(0), of(2), of(3)], [[0, 0], [2, 2], [3, undefined]]);
  assertEquals([of("-1"), of("x"), of()], [[undefined, undefined], [undefined, undefined], [undefined, undefined]]);
});

Deno.test("observe() lets the failed pod of an index stay that knows most and is latest", () => {
  const owner = job({ ...INDEXED, completions: 1, backoffLimitPerIndex: 9 });
  const staying = (...traits: PodTraits[]) => {
    const failed = traits.map((each, i) => pod(`p${i}`, { index: 0, phase: "Failed", ...each }));
    return observe(owner, failed, new Set()).indexes!.delayed.get(0)?.metadata?.name;
  };
  assertEquals(allIndexFailures(pod("p", { failures: "2", ignored: "1" })), 3);
  assertEquals(staying({ failures: "0", endedAgo: 60 }, { failures: "1", endedAgo: 5 }), "p1");
  assertEquals(staying({ failures: "1", endedAgo: 5 }, { failures: "0", endedAgo: 60 }), "p0");
  assertEquals(staying({ failures: "1", endedAgo: 60 }, { failures: "1", endedAgo: 5 }), "p1");
  assertEquals(staying({ failures: "1", endedAgo: 5 }, { failures: "1", endedAgo: 60 }), "p0");
  assertEquals(staying({ failures: "1", endedAgo: 5 }, { failures: "1", endedAgo: 5 }), "p1", "the last of equals");
  assertEquals(staying({ failures: "0", endedAgo: 5 }, { failures: "1", endedAgo: 60 }), "p0", "it must be both");
});

Deno.test("ensureCondition() says nothing twice, and replaces what says something else", () => {
  const said = { type: "Suspended", status: "True", reason: "R", message: "M" };
  const before: JobCondition[] = [{ type: "Other", status: "True" }, { ...said, lastTransitionTime: ago(60) }];
  assertEquals(ensureCondition(before, said, NOW_MS), undefined);
  const anew = { lastProbeTime: ago(0), lastTransitionTime: ago(0) };
  for (const change of [{ status: "False" }, { reason: "S" }, { message: "N" }]) {
    assertEquals(ensureCondition(before, { ...said, ...change }, NOW_MS), [before[0], { ...said, ...change, ...anew }]);
  }
  assertEquals(ensureCondition(before.slice(0, 1), { ...said, status: "False" }, NOW_MS), undefined);
});

Deno.test("remainingBackoffMs() doubles from 10 s to 10 min, from the last failure on", () => {
  const after = (failures: number, agoMs = 0) =>
    remainingBackoffMs({ failures, lastFailureMs: NOW_MS - agoMs }, NOW_MS) / 1000;
  assertEquals([0, 1, 2, 3, 6, 7, 8, 4000].map((failures) => after(failures)), [0, 10, 20, 40, 320, 600, 600, 600]);
  assertEquals([after(1, 3000), after(1, 10_000), after(1, 99_000)], [7, 0, 0]);
});

Deno.test("nextBackoff() counts the failures since the last success", () => {
  const failed = (...seconds: number[]) => seconds.map((endedAgo) => pod("f", { phase: "Failed", endedAgo }));
  const done = (...seconds: number[]) => seconds.map((endedAgo) => pod("s", { phase: "Succeeded", endedAgo }));
  const at = (failures: number, seconds: number) => ({ failures, lastFailureMs: NOW_MS - seconds * 1000 });
  assertEquals(nextBackoff(at(2, 50), [], []), at(2, 50));
  assertEquals(nextBackoff(at(2, 50), [], failed(9, 3, 7)), at(5, 3));
  assertEquals(nextBackoff(at(2, 50), done(5), []), NO_BACKOFF);
  assertEquals(nextBackoff(at(2, 50), done(9, 5), failed(7, 4, 5, 1)), at(2, 1));
  assertEquals(nextBackoff(at(2, 50), done(5), failed(7, 6)), NO_BACKOFF);
});

Deno.test("finishedAtMs() takes the best that is known of when a pod ended", () => {
  const second = (atMs: number) => (NOW_MS - atMs) / 1000;
  const bare = (status: Pod["status"], metadata: Pod["metadata"] = {}): Pod => ({ ...pod("p", metadata), status });
  const terminated = (seconds: number) => ({
    name: `c${seconds}`,
    image: "",
    imageID: "",
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode: 0, finishedAt: ago(seconds) } },
  });
  const notReady = { conditions: [{ type: "Ready", status: "False", lastTransitionTime: ago(20) }] };
  const running = { ...terminated(1), state: { running: {} } };
  assertEquals(second(finishedAtMs(bare({ containerStatuses: [terminated(9), terminated(5)] }))), 5);
  assertEquals(second(finishedAtMs(bare({ containerStatuses: [terminated(9), running], ...notReady }))), 20);
  const going = { deletionTimestamp: formatTime(NOW_MS), deletionGracePeriodSeconds: 30 };
  assertEquals(second(finishedAtMs(bare({}, going))), 30);
  assertEquals(second(finishedAtMs(bare({}))), 3600);

  const sidecar = bare({ containerStatuses: [terminated(9)], initContainerStatuses: [terminated(4), terminated(2)] });
  sidecar.spec = { containers: [], initContainers: [{ name: "c4", restartPolicy: "Always" }, { name: "c2" }] };
  assertEquals(second(finishedAtMs(sidecar)), 4);
  const outlived = { ...sidecar, status: { ...sidecar.status, containerStatuses: [terminated(9), running] } };
  assertEquals(second(finishedAtMs(outlived)), 4, "upstream looks at sidecars anew where a container runs");
  const restarted = { ...sidecar, status: { ...sidecar.status, initContainerStatuses: [{ ...running, name: "c4" }] } };
  assertEquals(second(finishedAtMs(restarted)), 3600, "a sidecar that runs");
});

Deno.test("compareForRemoval() takes a time that is not set for the latest", () => {
  const timed = pod("timed", { node: "n", isReady: true, endedAgo: 5 });
  const ready = { type: "Ready", status: "True" };
  const timeless = { ...timed, status: { ...timed.status, conditions: [ready] } };
  const signs = [compareForRemoval(timeless, timed), compareForRemoval(timed, timeless)].map(Math.sign);
  assertEquals([signs, compareForRemoval(timeless, timeless)], [[-1, 1], 0]);
});

Deno.test("podsToRemove() removes pods with good indexes only where more must go than have none", () => {
  const owner = job({ ...INDEXED, completions: 3 });
  const active = [
    pod("zero", { index: 0, node: "n", isReady: true }),
    pod("one", { index: 1 }),
    pod("two", { index: 2, node: "n" }),
    pod("none"),
  ];
  const removed = (count: number) => podsToRemove(owner, active, count).map(({ metadata }) => metadata?.name);
  assertEquals([removed(0), removed(1)], [["none"], ["none"]]);
  assertEquals([removed(2), removed(3)], [["none", "one"], ["none", "one", "two"]]);
});

Deno.test("compareForRemoval() lets those go first that have done least", () => {
  const ready = (name: string, endedAgo: number, traits = {}) =>
    pod(name, { node: "n", isReady: true, endedAgo, ...traits });
  const order = [
    pod("unassigned"),
    pod("pending", { node: "n", phase: "Pending" }),
    pod("unknown", { node: "n", phase: "Unknown" }),
    pod("unready", { node: "n" }),
    ready("ready-lately", 5),
    ready("ready-restarted", 60, { restarts: 2 }),
    ready("ready-young", 60, { creationTimestamp: ago(100) }),
    ready("ready-old", 60),
  ];
  const shuffled = [order[7], order[2], order[5], order[0], order[4], order[6], order[1], order[3]];
  assertEquals(
    shuffled.sort(compareForRemoval).map(({ metadata }) => metadata?.name),
    order.map((p) => p.metadata?.name),
  );
});
