/**
 * Objects that make no sense to a controller, and objects whose times are ahead of the clock or far behind, under upstream's
 * manager and under ours: what comes of them is the same, they keep no manager busy, and others of their kind go on.
 */
import { assert } from "@std/assert";
import {
  CONTROLLERREVISIONS,
  CRONJOBS,
  CUSTOMRESOURCEDEFINITIONS,
  DAEMONSETS,
  HORIZONTALPODAUTOSCALERS,
  isConditionTrue,
  JOBS,
  PODDISRUPTIONBUDGETS,
  REPLICATIONCONTROLLERS,
  RESOURCEQUOTAS,
  STATEFULSETS,
} from "../../src/api/mod.ts";
import { AuditLog } from "../controlplane/audit_log.ts";
import { ServedMetrics } from "../controlplane/metrics_api.ts";
import { eventually } from "../controlplane/process.ts";
import { withMetrics } from "../scenarios/autoscaling_kit.ts";
import { SENSELESS_JOB_SCENARIOS } from "../scenarios/senseless_job_scenarios.ts";
import {
  SENSELESS_AUTOSCALING_SCENARIOS,
  SENSELESS_POLICY_SCENARIOS,
  WIDGET_DEFINITION,
  WIDGETS,
} from "../scenarios/senseless_policy_scenarios.ts";
import { SENSELESS_SET_SCENARIOS } from "../scenarios/senseless_set_scenarios.ts";
import { SKEWED_AUTOSCALING_SCENARIOS, SKEWED_TIME_SCENARIOS } from "../scenarios/skewed_time_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const RESOURCES = [
  REPLICATIONCONTROLLERS,
  STATEFULSETS,
  CONTROLLERREVISIONS,
  DAEMONSETS,
  JOBS,
  CRONJOBS,
  HORIZONTALPODAUTOSCALERS,
  WIDGETS,
  PODDISRUPTIONBUDGETS,
  RESOURCEQUOTAS,
];

const FLAGS = [
  "--horizontal-pod-autoscaler-sync-period=3s",
  "--horizontal-pod-autoscaler-cpu-initialization-period=1s",
  "--horizontal-pod-autoscaler-downscale-stabilization=3s",
];

/** Who sends requests that are not the manager's. */
const OTHERS = /^(cluster-tests|kubectl|kube-apiserver)/;
const REST_S = 5;
/** Requests about one namespace meanwhile: an autoscaler looks every 3 s, and a key that fails waits ever longer. */
const MOST_REQUESTS = 15;

/** Fails if a manager goes on asking for much about one of the namespaces after all has settled. */
async function assertAtRest(audit: AuditLog, kind: string): Promise<void> {
  const before = (await audit.requests()).length;
  let looks = 0;
  await eventually(`${REST_S} s have passed`, () => looks++ === REST_S, { everyMs: 1_000 });
  const requests = (await audit.requests()).slice(before).filter(({ userAgent }) => !OTHERS.test(userAgent));
  const byNamespace = Map.groupBy(requests, ({ namespace }) => namespace);
  for (const [namespace, ofIt] of byNamespace) {
    if (!namespace.startsWith(kind)) continue;
    const list = ofIt.map(({ verb, path, code }) => `${verb} ${path} -> ${code}`).join("\n");
    assert(ofIt.length <= MOST_REQUESTS, `${kind} is kept busy by ${namespace}:\n${list}`);
  }
}

parityTest(
  "What makes no sense is taken by kubeloop as by upstream's manager, and leaves the rest alone",
  async () => {
    await using audit = await AuditLog.create();
    await using cluster = await Cluster.start({ apiserverFlags: audit.flags });
    await using metrics = await ServedMetrics.start(cluster);
    await cluster.client.create(CUSTOMRESOURCEDEFINITIONS, WIDGET_DEFINITION);
    await eventually("the custom resource is served", async () => {
      const { name = "" } = WIDGET_DEFINITION.metadata ?? {};
      const { status } = await cluster.client.get(CUSTOMRESOURCEDEFINITIONS, { name });
      return isConditionTrue(status?.conditions, "Established");
    });
    await assertParity(cluster, {
      area: "senseless_objects",
      scenarios: [
        ...withMetrics([...SENSELESS_AUTOSCALING_SCENARIOS, ...SKEWED_AUTOSCALING_SCENARIOS], metrics.api),
        ...SENSELESS_SET_SCENARIOS,
        ...SENSELESS_JOB_SCENARIOS,
        ...SENSELESS_POLICY_SCENARIOS,
        ...SKEWED_TIME_SCENARIOS,
      ],
      resources: RESOURCES,
      flags: FLAGS,
      parallel: 24,
      atRest: (kind) => assertAtRest(audit, kind),
    });
  },
);
