// deno-lint-ignore-file no-console -- it is there to print
/**
 * How often a manager calls the Hetzner Cloud API for a cluster of 100 nodes and 50 balancers: idle, and for a change. Idle calls are
 * counted for some minutes (the first argument is how many seconds, 180 by default) and given for an hour. Periods are those of the default
 * flags, but for that in which the status of nodes is looked at: a minute instead of five, so that it comes round. The vendor's manager
 * runs beside where `$KUBELOOP_HCLOUD_VENDOR` says its path.
 */
import { HcloudBed, HTTP_PORT, type Maker, VENDOR } from "../../cluster/hcloud/bed.ts";
import type { Outcome } from "../../cluster/hcloud/outcome.ts";
import { Cluster } from "../../cluster/cluster.ts";

const NODES = 100;
const BALANCERS = 50;
/** Each balancer leads to one of so many pools of nodes. */
const POOLS = 5;
const IDLE_MS = Number(Deno.args[0] ?? 180) * 1000;

const DEFAULTS = {
  network: true,
  env: { HCLOUD_SERVER_CACHE_MAX_AGE: "10s" },
  flags: ["--node-monitor-period=5s", "--route-reconciliation-period=10s", "--node-status-update-frequency=60s"],
};

const range = (count: number) => Array.from({ length: count }, (_, i) => i);

/** A cluster and a project in which there is nothing left to do. */
function settled(): Outcome {
  const nodes = range(NODES).map((i) => ({
    kind: "Node",
    name: `node-${i + 1}`,
    labels: { pool: `p${i % POOLS}` },
    spec: { providerID: `hcloud://${i + 1}`, podCIDR: `10.244.${i + 1}.0/24`, podCIDRs: [`10.244.${i + 1}.0/24`] },
    addresses: [{ type: "Hostname", address: `node-${i + 1}` }, { type: "InternalIP", address: `10.0.0.${i + 2}` }],
    conditions: [{ type: "Ready", status: "True" }, { type: "NetworkUnavailable", status: "False" }],
  }));
  const services = range(BALANCERS).map((i) => ({
    kind: "Service",
    name: `web-${i}x`,
    annotations: { "load-balancer.hetzner.cloud/node-selector": `pool=p${i % POOLS}` },
    finalizers: ["service.kubernetes.io/load-balancer-cleanup"],
    spec: { type: "LoadBalancer", selector: { app: "web" }, ports: [{ ...HTTP_PORT, nodePort: 30100 + i }] },
    status: { loadBalancer: { ingress: [{ ip: `203.0.113.${i}`, ipMode: "VIP" }] } },
  }));
  const balancers = range(BALANCERS).map((i) => ({
    kind: "load_balancer",
    id: 1000 + i,
    name: `NAME-web-${i}x`,
    labels: { "hcloud-ccm/service-uid": `UID-web-${i}x` },
    private_net: [{ network: 50, ip: `10.0.1.${i}` }],
    services: [{
      protocol: "tcp",
      listen_port: 80,
      destination_port: 30100 + i,
      proxyprotocol: false,
      health_check: { protocol: "tcp", interval: 15, timeout: 10, retries: 3, port: 30100 + i },
    }],
    targets: range(NODES).filter((node) => node % POOLS === i % POOLS)
      .map((node) => ({ type: "server", server: { id: node + 1 }, use_private_ip: false, health_status: [] })),
  }));
  const routes = range(NODES).map((i) => ({ destination: `10.244.${i + 1}.0/24`, gateway: `10.0.0.${i + 2}` }));
  const network = { kind: "network", routes, load_balancers: balancers.map(({ id }) => id) };
  return { calls: [], events: [], objects: [...nodes, ...services], resources: [...balancers, network] };
}

async function measure(maker: Maker): Promise<void> {
  await using cluster = await Cluster.start({ nodes: 0 });
  await using bed = new HcloudBed(cluster.plane, cluster.client, { ...DEFAULTS, maker });
  await bed.restore(settled());
  const say = (what: string, calls: readonly { method: string }[]) => {
    const writes = calls.filter(({ method }) => method !== "GET").length;
    console.log(`${maker}: ${what}: ${calls.length} calls, ${writes} of them writes`);
  };
  const whole = bed.emulator.seen;
  bed.start(maker);
  await bed.until("balancers are looked at", () => bed.calls.length > BALANCERS, { withinMs: 300_000 });
  await bed.quiet(15_000);
  say("start", whole);
  let from = whole.length;
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const idle = whole.slice(from);
  say(`idle for ${IDLE_MS / 1000} s`, idle);
  console.log(`${maker}: idle for an hour: ${Math.round(idle.length * 3_600_000 / IDLE_MS)} calls`);
  const countChange = async (what: string, change: () => Promise<unknown>, isDone: () => boolean) => {
    from = bed.calls.length;
    await change();
    await bed.until(what, isDone, { withinMs: 300_000 });
    await bed.quiet(5_000);
    say(what, bed.calls.slice(from));
  };
  const balancers = [...bed.project.balancers.values()];
  await countChange(
    "one more port of a Service",
    () =>
      bed.patchService("web-0x", {
        spec: { ports: [{ ...HTTP_PORT, nodePort: 30100 }, { name: "s", port: 443, nodePort: 30443 }] },
      }),
    () => balancers[0].services.length === 2,
  );
  await countChange(
    `one more node, for ${BALANCERS / POOLS} of ${BALANCERS} balancers`,
    () => bed.machine(`node-${NODES + 1}`, NODES + 1, { node: { labels: { pool: "p1" } } }),
    () => balancers.filter(({ targets }) => targets.length > NODES / POOLS).length === BALANCERS / POOLS,
  );
}

if (import.meta.main) {
  await Promise.all([measure("kubeloop"), ...VENDOR === "" ? [] : [measure("vendor")]]);
}
