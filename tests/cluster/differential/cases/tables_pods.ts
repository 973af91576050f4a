/** How pods are printed: every way in which the STATUS column comes about. */
import type { DifferentialCase } from "../probe.ts";
import { setup, type Shown, table, tableCase } from "../table_probes.ts";

const PODS = "/api/v1/namespaces/{ns}/pods";

interface PodOptions {
  readonly containers?: number;
  readonly init?: readonly ("once" | "sidecar")[];
  readonly spec?: object;
}

function pod(name: string, status: object, { containers = 1, init = [], spec }: PodOptions = {}): Shown {
  const named = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `${prefix}${i}`, image: "nginx:1" }));
  return {
    object: {
      metadata: { name },
      spec: {
        containers: named("c", containers),
        ...init.length > 0
          ? {
            initContainers: named("i", init.length).map((container, i) =>
              init[i] === "sidecar" ? { ...container, restartPolicy: "Always" } : container
            ),
          }
          : {},
        ...spec,
      },
    },
    status,
  };
}

const LONG_AGO = "2001-01-01T00:00:00Z";

interface ContainerOptions {
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restarts?: number;
}

function container(name: string, state: object, { ready = false, started, restarts = 0 }: ContainerOptions = {}) {
  const lastState = restarts > 0 ? { terminated: { exitCode: 1, finishedAt: LONG_AGO } } : {};
  return { name, image: "nginx:1", imageID: "", ready, started, restartCount: restarts, state, lastState };
}

const RUNNING = { running: { startedAt: LONG_AGO } };
const waiting = (reason?: string) => ({ waiting: { reason } });
const ended = (exitCode: number, more: object = {}) => ({ terminated: { exitCode, ...more } });
const isReady = [{ type: "Ready", status: "True" }];

const SIMPLE = tableCase(PODS, [
  pod("a-pending", { phase: "Pending" }),
  pod("b-running", {
    phase: "Running",
    conditions: isReady,
    containerStatuses: [container("c0", RUNNING, { ready: true })],
  }),
  pod("c-reason", { phase: "Failed", reason: "Evicted" }),
  pod("d-crash", {
    phase: "Running",
    containerStatuses: [container("c0", waiting("CrashLoopBackOff"), { restarts: 3 })],
  }),
  pod("e-first-wins", {
    phase: "Pending",
    containerStatuses: [container("c0", waiting("ErrImagePull")), container("c1", waiting("ContainerCreating"))],
  }, { containers: 2 }),
  pod("f-exit-code", { phase: "Failed", containerStatuses: [container("c0", ended(7))] }),
  pod("g-signal", { phase: "Failed", containerStatuses: [container("c0", ended(137, { signal: 9 }))] }),
  pod("h-error", { phase: "Failed", containerStatuses: [container("c0", ended(1, { reason: "Error" }))] }),
  pod("i-completed", { phase: "Succeeded", containerStatuses: [container("c0", ended(0, { reason: "Completed" }))] }),
  pod("j-one-completed", {
    phase: "Running",
    conditions: isReady,
    containerStatuses: [container("c0", ended(0, { reason: "Completed" })), container("c1", RUNNING, { ready: true })],
  }, { containers: 2 }),
  pod("k-not-ready", {
    phase: "Running",
    containerStatuses: [container("c0", ended(0, { reason: "Completed" })), container("c1", RUNNING, { ready: true })],
  }, { containers: 2 }),
  pod("l-completed-and-error", {
    phase: "Failed",
    containerStatuses: [
      container("c0", ended(0, { reason: "Completed" })),
      container("c1", ended(2, { reason: "Error" })),
    ],
  }, { containers: 2 }),
  pod("m-gated", {}, { spec: { schedulingGates: [{ name: "example.com/wait" }] } }),
  pod("n-waits-without-reason", { phase: "Pending", containerStatuses: [container("c0", waiting())] }),
  pod("o-unknown", { phase: "Unknown" }),
  pod("p-restarts", {
    phase: "Running",
    conditions: isReady,
    containerStatuses: [
      container("c0", RUNNING, { ready: true, restarts: 1 }),
      container("c1", RUNNING, { ready: true, restarts: 2 }),
    ],
  }, { containers: 2 }),
]);

const INIT: DifferentialCase = {
  ...tableCase(PODS, [
    pod("a-first", { phase: "Pending", initContainerStatuses: [container("i0", waiting("PodInitializing"))] }, {
      init: ["once", "once"],
    }),
    pod("b-second", {
      phase: "Pending",
      initContainerStatuses: [container("i0", ended(0)), container("i1", RUNNING, { restarts: 2 })],
    }, { init: ["once", "once"] }),
    pod("c-waits", { phase: "Pending", initContainerStatuses: [container("i0", waiting("ErrImagePull"))] }, {
      init: ["once"],
    }),
    pod("d-exit-code", { phase: "Pending", initContainerStatuses: [container("i0", ended(3))] }, { init: ["once"] }),
    pod("e-signal", { phase: "Pending", initContainerStatuses: [container("i0", ended(3, { signal: 6 }))] }, {
      init: ["once"],
    }),
    pod("f-error", { phase: "Pending", initContainerStatuses: [container("i0", ended(3, { reason: "Error" }))] }, {
      init: ["once"],
    }),
    pod("g-sidecar", {
      phase: "Running",
      conditions: [{ type: "Initialized", status: "True" }, ...isReady],
      initContainerStatuses: [container("i0", RUNNING, { ready: true, started: true, restarts: 4 })],
      containerStatuses: [container("c0", RUNNING, { ready: true })],
    }, { init: ["sidecar"] }),
    pod("h-sidecar-not-started", {
      phase: "Pending",
      initContainerStatuses: [container("i0", RUNNING, { started: false })],
    }, { init: ["sidecar", "once"] }),
    pod("i-failed-after-init", {
      phase: "Running",
      conditions: [{ type: "Initialized", status: "True" }],
      initContainerStatuses: [container("i0", ended(1))],
      containerStatuses: [container("c0", RUNNING, { ready: true })],
    }, { init: ["once"] }),
    pod("j-done", {
      phase: "Running",
      initContainerStatuses: [container("i0", ended(0), { restarts: 5 })],
      containerStatuses: [container("c0", RUNNING, { ready: true })],
    }, { init: ["once"] }),
  ]),
  name: "pods with init containers are printed",
};

const WIDE: DifferentialCase = {
  ...tableCase(PODS, [
    pod("a-addresses", { phase: "Running", podIP: "10.1.2.3", podIPs: [{ ip: "10.1.2.3" }, { ip: "fd00::3" }] }, {
      spec: { nodeName: "somewhere" },
    }),
    pod("b-nominated", { nominatedNodeName: "elsewhere" }),
    pod("c-gates", {
      conditions: [{ type: "example.com/a", status: "True" }, { type: "example.com/b", status: "False" }],
    }, {
      spec: {
        readinessGates: ["a", "b", "c"].map((name) => ({ conditionType: `example.com/${name}` })),
      },
    }),
  ]),
  name: "the wide columns of pods are printed",
};

const BOUND = { spec: { nodeName: "somewhere" } };

const TERMINATING: DifferentialCase = {
  name: "pods that are being deleted are printed",
  probes: [
    ...[
      pod("a-running", { phase: "Running" }, BOUND),
      pod("b-lost", { phase: "Running", reason: "NodeLost" }, BOUND),
      pod("c-failed", { phase: "Failed" }, { spec: { ...BOUND.spec } }),
    ].flatMap(({ object, status }) => [
      setup("POST", PODS, { ...object, metadata: { ...object.metadata, finalizers: ["example.com/wait"] } }),
      setup("PATCH", `${PODS}/${object.metadata.name}/status`, { status }, "application/merge-patch+json"),
      setup("DELETE", `${PODS}/${object.metadata.name}`, {}),
    ]),
    table(PODS),
  ],
  cleanup: ["a-running", "b-lost", "c-failed"].map((name) =>
    setup("PATCH", `${PODS}/${name}`, { metadata: { finalizers: null } }, "application/merge-patch+json")
  ),
};

export const CASES: readonly DifferentialCase[] = [SIMPLE, INIT, WIDE, TERMINATING];
