// deno-lint-ignore-file no-console -- it is there to print
/**
 * kubeloop beside upstream's manager: quotas in many namespaces, measured for the first time, then after most of what they
 * limit was deleted. Prints time, processor time and memory with ratios. `deno run -A tests/bench/cluster/quotas.ts [NAMESPACES]`.
 */
import { CONFIGMAPS, NAMESPACES, PODS, type ResourceQuota, RESOURCEQUOTAS } from "../../../src/api/mod.ts";
import { parallelize } from "../../../src/base/mod.ts";
import { clientOf } from "../../cluster/cluster.ts";
import { ControlPlane } from "../../controlplane/control_plane.ts";
import { FIRST_SIX, type ManagerKind, startManager } from "../../controlplane/manager.ts";
import { eventually } from "../../controlplane/process.ts";
import { pod } from "../../scenarios/quota_kit.ts";
import { cpuSeconds, statusMiB } from "./process_figures.ts";

const PODS_EACH = 10;
const LEFT = 2;
const HARD = { pods: "50", "requests.cpu": "50", "limits.memory": "50Gi", configmaps: "50" };
const PARTS = { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "128Mi" } };

interface Figures {
  readonly firstS: number;
  readonly freedS: number;
  readonly cpuS: number;
  readonly peakMiB: number;
}

async function measure(kind: ManagerKind, count: number): Promise<Figures> {
  await using plane = await ControlPlane.start({
    apiserverFlags: ["--max-requests-inflight=3000", "--max-mutating-requests-inflight=3000"],
  });
  const { client } = await clientOf(plane.kubeconfig);
  const { process } = await startManager(plane, kind, {
    flags: [`--controllers=${FIRST_SIX},resourcequota-controller`],
  });
  const names = Array.from({ length: count }, (_, i) => `quota-${i}`);
  const patience = { withinMs: 300_000, everyMs: 100 };
  await parallelize(50, count, async (i) => void await client.create(NAMESPACES, { metadata: { name: names[i] } }));
  await eventually("all namespaces have a certificate authority", async () => {
    const { items, metadata } = await client.listMetadata(CONFIGMAPS, { limit: 1 });
    return items.length + (metadata?.remainingItemCount ?? 0) >= count + 1;
  }, patience);
  await parallelize(50, count * PODS_EACH, async (i) => {
    const namespace = names[i % count];
    const retried = () =>
      client.create(PODS, pod(`p-${Math.floor(i / count)}`, PARTS), { namespace }).catch(() => undefined);
    await eventually("a pod is let in", retried, patience);
  });
  const cpuBefore = await cpuSeconds(process.pid);
  const began = performance.now();
  const untilPods = (used: string) =>
    eventually(`${used} pods are used everywhere`, async () => {
      const { items } = await client.list(RESOURCEQUOTAS, {});
      return items.length === count && items.every(({ status }: ResourceQuota) => status?.used?.pods === used);
    }, patience);
  await parallelize(50, count, async (i) => {
    await client.create(RESOURCEQUOTAS, { metadata: { name: "q" }, spec: { hard: HARD } }, { namespace: names[i] });
  });
  await untilPods(String(PODS_EACH));
  const measured = performance.now();
  await parallelize(50, count * (PODS_EACH - LEFT), async (i) => {
    await client.delete(PODS, { namespace: names[i % count], name: `p-${Math.floor(i / count)}` });
  });
  await untilPods(String(LEFT));
  const freed = performance.now();
  const figures = {
    firstS: (measured - began) / 1000,
    freedS: (freed - measured) / 1000,
    cpuS: await cpuSeconds(process.pid) - cpuBefore,
    peakMiB: await statusMiB(process.pid, "VmHWM"),
  };
  await process.stop();
  return figures;
}

const count = Number(Deno.args[0] ?? 500);
const upstream = await measure("upstream", count);
const kubeloop = await measure("kubeloop", count);
console.log(`${count} namespaces with a quota and ${PODS_EACH} pods each, of which all but ${LEFT} are deleted`);
for (const name of Object.keys(upstream) as (keyof Figures)[]) {
  const [theirs, ours] = [upstream[name], kubeloop[name]];
  console.log(
    `${name.padEnd(8)} upstream ${theirs.toFixed(2)}  kubeloop ${ours.toFixed(2)}  ratio ${(ours / theirs).toFixed(2)}`,
  );
}
