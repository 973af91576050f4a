/** The life of a pod's containers as a pure function: tables without a server, a clock or a simulator. */
import { assert, assertEquals } from "@std/assert";
import fc from "../../../fast_check.ts";
import type { Container, Pod, PodSpec, PodStatus } from "../../../../src/api/mod.ts";
import { adoptRuntime } from "../../../../src/sandbox/nodes/adopt.ts";
import { advance } from "../../../../src/sandbox/nodes/advance.ts";
import { PodPlan } from "../../../../src/sandbox/nodes/plan.ts";
import { newRuntime, type PodRuntime } from "../../../../src/sandbox/nodes/pod_runtime.ts";
import { podStatus } from "../../../../src/sandbox/nodes/pod_status.ts";
import { patched, statusPatch } from "../../../../src/sandbox/nodes/status_patch.ts";

const TIMES = { podStartMs: 500, podStopMs: 100, podRunMs: 1000, initRunMs: 100 };
const MAIN: Container = { name: "c", image: "nginx:1" };

interface Given {
  readonly spec?: Partial<PodSpec>;
  readonly annotations?: Record<string, string>;
  readonly metadata?: Pod["metadata"];
  readonly unboundClaims?: readonly string[];
}

function podOf({ spec, annotations, metadata }: Given): Pod {
  return {
    metadata: { name: "p", namespace: "n", uid: "u", generation: 1, annotations, ...metadata },
    spec: { containers: [MAIN], ...spec },
  };
}

/** Goes on with a pod until `untilMs`, waking when it asks for it; `[ms, states]` for every step that changed something. */
function live(given: Given, untilMs: number, { from = newRuntime(0), startMs = 0 } = {}) {
  const pod = podOf(given);
  const plan = new PodPlan(pod, TIMES);
  const steps: [number, string][] = [];
  let runtime: PodRuntime = from;
  let status: PodStatus = {};
  let nowMs: number | undefined = startMs;
  let wakes = 0;
  while (nowMs !== undefined && nowMs <= untilMs) {
    assert(++wakes < 1000, "it wakes again and again");
    const observed = { pod, plan, unboundClaims: given.unboundClaims ?? [], earlierFailures: 0 };
    const next = advance(observed, runtime, nowMs);
    assert(next.nextMs === undefined || next.nextMs > nowMs, "the next step lies ahead");
    runtime = next.runtime;
    status = podStatus({
      step: { pod, plan, nowMs, earlierFailures: 0 },
      runtime,
      hostIPs: ["h"],
      podIPs: [],
      before: status,
    });
    const text = `${status.phase} ${words(status).join(" ")}`;
    if (steps.at(-1)?.[1] !== text) steps.push([nowMs, text]);
    nowMs = next.nextMs;
  }
  return { steps, runtime, status };
}

function words({ initContainerStatuses = [], containerStatuses = [] }: PodStatus): string[] {
  return [...initContainerStatuses, ...containerStatuses].map(({ state, ready, restartCount }) => {
    const word = state?.running ? (ready ? "ready" : "running") : (state?.waiting ?? state?.terminated)?.reason;
    return `${word}${restartCount ? `+${restartCount}` : ""}`;
  });
}

const sidecar = { name: "side", image: "s:1", restartPolicy: "Always" };
const setup = { name: "setup", image: "i:1" };

const LIVES: Readonly<Record<string, readonly [Given, readonly [number, string][]]>> = {
  "a server starts and goes on": [{}, [[0, "Pending ContainerCreating"], [500, "Running ready"]]],
  "a job runs and succeeds": [
    { spec: { restartPolicy: "Never" } },
    [[0, "Pending ContainerCreating"], [500, "Running ready"], [1500, "Succeeded Completed"]],
  ],
  "a job fails": [
    { spec: { restartPolicy: "Never" }, annotations: { "kubeloop.dev/exit-code": "1" } },
    [[0, "Pending ContainerCreating"], [500, "Running ready"], [1500, "Failed Error"]],
  ],
  "a job fails, is restarted at once, and succeeds": [
    { spec: { restartPolicy: "OnFailure" }, annotations: { "kubeloop.dev/exit-code": "1,0" } },
    [
      [0, "Pending ContainerCreating"],
      [500, "Running ready"],
      [1500, "Running Error"],
      [2500, "Running ready+1"],
      [3500, "Succeeded Completed+1"],
    ],
  ],
  "init containers come first, sidecars stay": [
    { spec: { initContainers: [setup, sidecar], restartPolicy: "Never" } },
    [
      [0, "Pending PodInitializing PodInitializing PodInitializing"],
      [500, "Pending running PodInitializing PodInitializing"],
      [600, "Running Completed ready ready"],
      [1600, "Succeeded Completed Completed Completed"],
    ],
  ],
  "an init container that fails for good fails the pod": [
    { spec: { initContainers: [setup], restartPolicy: "Never" }, annotations: { "kubeloop.dev/exit-code": "setup=2" } },
    [
      [0, "Pending PodInitializing PodInitializing"],
      [500, "Pending running PodInitializing"],
      [600, "Failed Error PodInitializing"],
    ],
  ],
  "a slow image delays, a slow start delays readiness": [
    { annotations: { "kubeloop.dev/image-pull": "2s", "kubeloop.dev/ready-after": "3s" } },
    [[0, "Pending ContainerCreating"], [2500, "Running running"], [5500, "Running ready"]],
  ],
  "an image that is not there is tried again": [
    { annotations: { "kubeloop.dev/image-pull": "never" } },
    [
      [0, "Pending ContainerCreating"],
      [500, "Pending ErrImagePull"],
      [1500, "Pending ImagePullBackOff"],
      [10_500, "Pending ErrImagePull"],
      [11_500, "Pending ImagePullBackOff"],
    ],
  ],
  "a claim that is not bound keeps it": [
    { unboundClaims: ["data"] },
    [[0, "Pending ContainerCreating"]],
  ],
  "a deadline stops it": [
    { spec: { activeDeadlineSeconds: 2 } },
    [[0, "Pending ContainerCreating"], [500, "Running ready"], [2100, "Failed Completed"]],
  ],
  "a pod deleted before it began ends at once": [
    { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 30 } },
    [[0, "Failed ContainerStatusUnknown"]],
  ],
};

function check(...names: string[]): void {
  for (const name of names) {
    const [given, steps] = LIVES[name];
    assertEquals(live(given, 20_000).steps, steps, name);
  }
}

Deno.test("advance: nothing starts before the sandbox exists", () => {
  check("a server starts and goes on", "a slow image delays, a slow start delays readiness");
  check("a claim that is not bound keeps it");
});

Deno.test("advance: init containers run one after the other, each after the previous one succeeded", () => {
  check("init containers come first, sidecars stay");
});

Deno.test("advance: a container that ends is restarted as its restart policy and rules say", () => {
  check("a job fails, is restarted at once, and succeeds");
});

Deno.test("advance: the pod has ended when none of its main containers runs or will run again, or an init container failed for good", () => {
  check("a job runs and succeeds", "a job fails", "an init container that fails for good fails the pod");
});

Deno.test("advance: a pod being deleted, past its deadline or evicted is stopped within its grace period; nothing starts in it any more", () => {
  check("a deadline stops it", "a pod deleted before it began ends at once");
});

Deno.test("advance: pulling an image that cannot be pulled is retried with the same delays", () => {
  check("an image that is not there is tried again");
});

Deno.test("advance: a container that ends is restarted as its restart policy and rules say: after delays that double to five minutes; after a run of ten minutes this starts over", () => {
  const annotations = { "kubeloop.dev/exit-code": "1", "kubeloop.dev/run-for": "1s,1s,1s,1s,1s,1s,1s,1s,700s,1s" };
  const { steps } = live({ annotations }, 3_000_000);
  const starts = steps.filter(([, text]) => text.startsWith("Running ready")).map(([ms]) => ms);
  const ends = steps.filter(([, text]) => text.startsWith("Running Error")).map(([ms]) => ms);
  const delays = starts.slice(1).map((startMs, i) => (startMs - ends[i]) / 1000);
  assertEquals(delays.slice(0, 11), [1, 10, 20, 40, 80, 160, 300, 300, 1, 10, 20]);
});

Deno.test("advance: a pod being deleted, past its deadline or evicted is stopped within its grace period, or killed then", () => {
  const deletion = (seconds: number) => ({
    deletionTimestamp: "2026-01-01T00:00:00Z",
    deletionGracePeriodSeconds: seconds,
  });
  const rows: [Record<string, string>, number, [number, number]][] = [
    [{}, 30, [1100, 0]],
    [{ "kubeloop.dev/stop-after": "5s" }, 30, [6000, 0]],
    [{ "kubeloop.dev/stop-after": "5s", "kubeloop.dev/stop-code": "7" }, 30, [6000, 7]],
    [{ "kubeloop.dev/stop-after": "5s" }, 2, [3000, 137]],
    [{ "kubeloop.dev/stop-after": "never" }, 1, [2000, 137]],
    [{}, 0, [1000, 137]],
  ];
  const { runtime } = live({}, 1000);
  for (const [annotations, seconds, wanted] of rows) {
    const { steps, status } = live({ annotations, metadata: deletion(seconds) }, 60_000, {
      from: runtime,
      startMs: 1000,
    });
    const { exitCode } = status.containerStatuses![0].state!.terminated!;
    assertEquals([steps.at(-1)![0], exitCode], wanted, JSON.stringify(annotations));
  }
});

Deno.test("advance, interrupted and adopted from the status at any time, comes to the same end", () => {
  const lives = Object.values(LIVES).map(([given]) => given).filter(({ spec }) => spec?.restartPolicy === "Never");
  fc.assert(fc.property(fc.constantFrom(...lives), fc.integer({ min: 0, max: 4000 }), (given, atMs) => {
    const whole = live(given, 60_000).status;
    const pod = { ...podOf(given), status: live(given, atMs).status };
    const rest = live(given, 60_000, { from: adoptRuntime(pod, atMs), startMs: atMs }).status;
    assertEquals([rest.phase, words(rest)], [whole.phase, words(whole)]);
  }));
});

Deno.test("statusPatch changes only what differs, and clears what is no longer so", () => {
  const time = "2026-01-01T00:00:00Z";
  const condition = (type: string, status: string, reason?: string) => ({
    type,
    status,
    lastTransitionTime: time,
    ...reason ? { reason } : {},
  });
  const before: PodStatus = {
    phase: "Pending",
    reason: "Why",
    hostIP: "h",
    conditions: [condition("Ready", "False", "NotYet"), condition("x.y/z", "True"), condition("Initialized", "True")],
  };
  const after: PodStatus = {
    phase: "Running",
    hostIP: "h",
    conditions: [condition("Initialized", "True"), condition("Ready", "True")],
  };
  assertEquals(statusPatch("u", before, after), {
    metadata: { uid: "u" },
    status: {
      phase: "Running",
      reason: null,
      conditions: [{ ...condition("Ready", "True"), reason: null }],
      "$setElementOrder/conditions": [{ type: "Initialized" }, { type: "Ready" }, { type: "x.y/z" }],
    },
  });
  const now = patched(before, after);
  assertEquals([now.reason, now.conditions?.map(({ type }) => type)], [undefined, ["Initialized", "Ready", "x.y/z"]]);
  assertEquals(statusPatch("u", now, after), undefined);
});
