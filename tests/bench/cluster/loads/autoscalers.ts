import {
  type AutoscalingV2HorizontalPodAutoscaler,
  DEPLOYMENTS,
  formatTime,
  HORIZONTALPODAUTOSCALERS,
  PODS,
} from "../../../../src/api/mod.ts";
import { parallelize } from "../../../../src/base/mod.ts";
import type { Client } from "../../../../src/client/mod.ts";
import type { ControlPlane } from "../../../controlplane/control_plane.ts";
import { ServedMetrics } from "../../../controlplane/metrics_api.ts";
import { eventually } from "../../../controlplane/process.ts";
import { cpu } from "../../../scenarios/autoscaling_kit.ts";
import { deployment } from "../../../scenarios/kit.ts";
import { pod } from "../../../scenarios/quota_kit.ts";
import { makeNamespace, PATIENCE } from "./kit.ts";
import type { Load } from "./load.ts";

const NAMES = Array.from({ length: 30 }, (_, i) => `scaled-${i}`);
const EACH = 10;
const COUNT = NAMES.length * EACH;
const REPLICAS = 2;
/** How many requests are under way at a time. */
const AT_ONCE = 50;

/** What each pod uses of the 100m that it asks for, where half of that is wanted, and how many pods that makes of two. */
const CALM = { usage: "50m", replicas: REPLICAS };
const BUSY = { usage: "150m", replicas: 6 };
const QUIET = { usage: "25m", replicas: 1 };

/** Where the metrics of a control plane are served. */
const served = new WeakMap<ControlPlane, ServedMetrics>();

/**
 * Autoscalers whose pods all use more at the same time, then less. There are no more pods however many are wanted, so that
 * nobody but the autoscaler has something to do.
 */
export const AUTOSCALERS: Load = {
  name: "autoscalers",
  description: `${COUNT} autoscalers, looked at every 5 seconds, scale up in two steps, then down in one`,
  controllers: ["horizontal-pod-autoscaler-controller"],
  flags: [
    "--horizontal-pod-autoscaler-sync-period=5s",
    "--concurrent-horizontal-pod-autoscaler-syncs=5",
    "--horizontal-pod-autoscaler-downscale-stabilization=1s",
  ],

  async prepare({ plane, client }) {
    await parallelize(AT_ONCE, NAMES.length, (i) => makeNamespace(client, NAMES[i]));
    await parallelize(AT_ONCE, COUNT, (i) => makeTarget(client, NAMES[i % NAMES.length], `d-${i}`));
    const metrics = await ServedMetrics.start({ plane, client });
    served.set(plane, metrics);
    use(metrics, CALM.usage);
  },

  async warmUp({ client }) {
    await parallelize(AT_ONCE, COUNT, async (i) => {
      const namespace = NAMES[i % NAMES.length];
      await client.create(HORIZONTALPODAUTOSCALERS, autoscaler(`d-${i}`), { namespace });
    });
    await untilWanted(client, CALM.replicas);
  },

  async run({ plane, client }) {
    await using metrics = served.get(plane)!;
    for (const { usage, replicas } of [BUSY, QUIET]) {
      use(metrics, usage);
      await untilWanted(client, replicas);
    }
  },
};

/** A Deployment whose pods are there, and have been for an hour. */
async function makeTarget(client: Client, namespace: string, name: string): Promise<void> {
  const made = await client.create(DEPLOYMENTS, deployment(name, { replicas: REPLICAS }), { namespace });
  await client.updateStatus(DEPLOYMENTS, { ...made, status: { replicas: REPLICAS, readyReplicas: REPLICAS } });
  const { labels } = made.spec!.template.metadata!;
  const at = formatTime(Date.now() - 3_600_000);
  const status = {
    phase: "Running",
    startTime: at,
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: at }],
  };
  for (let i = 0; i < REPLICAS; i++) {
    const wanted = pod(`${name}-${i}`, { requests: { cpu: "100m" }, spec: { nodeName: "node-0" } });
    const { metadata } = await client.create(PODS, { ...wanted, metadata: { ...wanted.metadata, labels } }, {
      namespace,
    });
    const ref = { namespace, name: metadata?.name ?? "" };
    await client.patch(PODS, ref, { type: "strategic", body: { status }, subresource: "status" });
  }
}

function autoscaler(name: string): AutoscalingV2HorizontalPodAutoscaler {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
  return { metadata: { name }, spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 20, metrics: [cpu(50)] } };
}

function use({ api }: ServedMetrics, usage: string): void {
  for (const namespace of NAMES) api.setPodUsage({ namespace, usage: { cpu: usage } });
}

/** Waits until every autoscaler wants so many replicas, by what its metric says. */
async function untilWanted(client: Client, replicas: number): Promise<void> {
  await eventually(`${COUNT} autoscalers want ${replicas} replicas`, async () => {
    const { items } = await client.list(HORIZONTALPODAUTOSCALERS);
    return items.every(({ status }) => status?.currentMetrics && status.desiredReplicas === replicas);
  }, { ...PATIENCE, everyMs: 250 });
}
