/** The small parts of Jobs: sets of indexes, finish times, backoffs, the order of removal. */
import { assertEquals } from "@std/assert";
import { formatTime, type Pod } from "../../src/api/mod.ts";
import { nextBackoff, NO_BACKOFF, remainingBackoffMs } from "../../src/controllers/job/backoff.ts";
import { finishedAtMs } from "../../src/controllers/job/finish_time.ts";
import { Indexes } from "../../src/controllers/job/indexes.ts";
import { compareForRemoval } from "../../src/controllers/job/removal_order.ts";
import { ago, NOW_MS, pod } from "./job_fixtures.ts";

Deno.test("Indexes.parse() reads what it can and leaves out the rest", () => {
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
  ];
  for (const [text, completions, read] of rows) assertEquals(String(Indexes.parse(text, completions)), read, text);
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
