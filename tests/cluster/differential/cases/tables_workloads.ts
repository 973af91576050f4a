/** How workloads are printed. */
import type { DifferentialCase } from "../probe.ts";
import { tableCase } from "../table_probes.ts";

const APPS = "/apis/apps/v1/namespaces/{ns}";
const BATCH = "/apis/batch/v1/namespaces/{ns}";

const TEMPLATE = {
  metadata: { labels: { app: "a", tier: "b" } },
  spec: { containers: [{ name: "c", image: "nginx:1" }, { name: "d", image: "busybox" }] },
};
const ONCE = { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: "Never" } };
const SELECTOR = { matchLabels: { app: "a" } };
const EXPRESSIONS = {
  matchLabels: { tier: "b" },
  matchExpressions: [{ key: "app", operator: "In", values: ["b", "a"] }, { key: "old", operator: "DoesNotExist" }],
};

function workload(name: string, spec: object = {}) {
  return { metadata: { name }, spec: { selector: SELECTOR, template: TEMPLATE, ...spec } };
}

const COUNTS = { replicas: 3, readyReplicas: 2, availableReplicas: 1, updatedReplicas: 3 };
const LONG_AGO = "2001-01-01T00:00:00Z";
const LATER = "2001-01-01T03:05:00Z";

function job(name: string, spec: object = {}) {
  return { metadata: { name }, spec: { template: ONCE, ...spec } };
}

function condition(type: string, status = "True") {
  return { type, status, lastProbeTime: LATER, lastTransitionTime: LATER };
}

export const CASES: readonly DifferentialCase[] = [
  tableCase(`${APPS}/deployments`, [
    { object: workload("a", { replicas: 3 }), status: COUNTS },
    { object: workload("b", { replicas: 0, selector: EXPRESSIONS }) },
  ]),
  tableCase(`${APPS}/replicasets`, [
    { object: workload("a", { replicas: 3 }), status: { replicas: 3, readyReplicas: 2 } },
    { object: workload("b", { replicas: 0, selector: EXPRESSIONS }) },
  ]),
  tableCase(`${APPS}/statefulsets`, [
    { object: workload("a", { replicas: 3, serviceName: "s" }), status: { replicas: 3, readyReplicas: 2 } },
    { object: workload("b", { serviceName: "s" }) },
  ]),
  tableCase(`${APPS}/daemonsets`, [
    {
      object: workload("a"),
      status: {
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
        numberMisscheduled: 0,
      },
    },
    {
      object: workload("b", {
        template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, nodeSelector: { "kubernetes.io/os": "linux", a: "b" } } },
      }),
    },
  ], {
    fields: ["rows.*.object.metadata.annotations"],
    because:
      "upstream adds the template generation only when it converts a DaemonSet to its version, which tables are not",
  }),
  tableCase("/api/v1/namespaces/{ns}/replicationcontrollers", [
    {
      object: { metadata: { name: "a" }, spec: { replicas: 2, selector: { app: "a" }, template: TEMPLATE } },
      status: { replicas: 2, readyReplicas: 1 },
    },
  ]),
  tableCase(`${APPS}/controllerrevisions`, [
    { object: { metadata: { name: "a" }, revision: 4, data: {} } },
    {
      object: {
        metadata: {
          name: "b",
          ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "d", uid: "u", controller: true }],
        },
        revision: 5,
        data: {},
      },
    },
  ]),
  tableCase("/api/v1/namespaces/{ns}/podtemplates", [
    { object: { metadata: { name: "a" }, template: TEMPLATE } },
  ]),
  tableCase(`${BATCH}/jobs`, [
    { object: job("a") },
    { object: job("b", { completions: 5, parallelism: 2 }), status: { succeeded: 3, startTime: LONG_AGO } },
    { object: job("c", { parallelism: 3 }), status: { succeeded: 1 } },
    {
      object: job("d"),
      status: {
        startTime: LONG_AGO,
        completionTime: LATER,
        succeeded: 1,
        conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
      },
    },
    {
      object: job("e"),
      status: { startTime: LONG_AGO, conditions: [condition("FailureTarget"), condition("Failed")] },
    },
    { object: job("f", { suspend: true }), status: { conditions: [condition("Suspended")] } },
    { object: job("g"), status: { startTime: LONG_AGO, conditions: [condition("FailureTarget")] } },
    { object: job("h"), status: { startTime: LONG_AGO, conditions: [condition("SuccessCriteriaMet")] } },
    { object: job("i", { suspend: true }) },
  ]),
  tableCase(`${BATCH}/cronjobs`, [
    {
      object: { metadata: { name: "a" }, spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template: ONCE } } } },
    },
    {
      object: {
        metadata: { name: "b" },
        spec: {
          schedule: "@daily",
          timeZone: "Europe/Berlin",
          suspend: true,
          jobTemplate: { spec: { template: ONCE } },
        },
      },
      status: { lastScheduleTime: LONG_AGO, active: [{ name: "x" }, { name: "y" }] },
    },
  ]),
  tableCase("/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets", [
    {
      object: { metadata: { name: "a" }, spec: { minAvailable: 1, selector: SELECTOR } },
      status: { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 },
    },
    { object: { metadata: { name: "b" }, spec: { maxUnavailable: "25%", selector: SELECTOR } } },
  ]),
];
