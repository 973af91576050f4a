/** Managers that contend for one lease, each with a certificate and a way to the API server of its own. */
import { LEASES } from "../../src/api/mod.ts";
import type { AuditedRequest } from "../controlplane/audit_log.ts";
import { type Manager, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { servingFlags } from "../controlplane/serving.ts";
import { TcpProxy } from "../controlplane/tcp_proxy.ts";
import type { Cluster } from "./cluster.ts";

const LEASE = { namespace: "kube-system", name: "kube-controller-manager" };
const USER_PREFIX = "manager-";

export interface Contender {
  /** As whom it takes part, and has the tokens of its accounts made. */
  readonly user: string;
  readonly manager: Manager;
  readonly proxy: TcpProxy;
}

export class Contenders implements AsyncDisposable {
  readonly #cluster: Cluster;
  readonly #flags: readonly string[];
  readonly #all: Contender[] = [];

  constructor(cluster: Cluster, { flags }: { readonly flags: readonly string[] }) {
    this.#cluster = cluster;
    this.#flags = flags;
  }

  /** Starts one more, and waits until it is ready and watches what it needs, pods among it. */
  async add(): Promise<Contender> {
    const { plane } = this.#cluster;
    const user = `${USER_PREFIX}${this.#all.length}`;
    const proxy = new TcpProxy(plane.port);
    const kubeconfig = await plane.writeKubeconfig(user, {
      user: await plane.authority.client(user, ["system:masters"]),
      server: `https://127.0.0.1:${proxy.port}`,
    });
    const flags = [...this.#flags, ...await servingFlags(plane, user)];
    const manager = await startManager(plane, "kubeloop", { kubeconfig, flags, waitForLease: false });
    const contender = { user, manager, proxy };
    this.#all.push(contender);
    using client = Deno.createHttpClient({ caCerts: [plane.authority.cert] });
    await eventually(`${user} is ready`, async () => {
      if (manager.process.exit) throw new Error(`it ended: ${manager.process.output.slice(-3000)}`);
      const response = await fetch(manager.healthzUrl.replace("/healthz", "/readyz"), { client });
      return (await response.text()).includes("[+]watch pods ok") && response.ok;
    });
    return contender;
  }

  /** Who wrote the lease last. */
  leader(requests: readonly AuditedRequest[]): Contender {
    const last = requests.findLast((request) => isLeaseTaken(request))?.user;
    const found = this.#all.find(({ user }) => user === last);
    if (!found) throw new Error(`Nobody leads: the lease was last written by ${last}`);
    return found;
  }

  /** The identity in the lease; empty when nobody holds it. */
  async holder(): Promise<string> {
    return (await this.#cluster.client.get(LEASES, LEASE)).spec?.holderIdentity ?? "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map(({ manager }) => manager.process.stop({ signal: "SIGKILL" })));
    await Promise.all(this.#all.map(({ proxy }) => proxy[Symbol.asyncDispose]()));
  }
}

/** Whether somebody got, kept or gave up the lease. */
export function isLeaseTaken({ resource, namespace, name, code }: AuditedRequest): boolean {
  return resource === "leases" && namespace === LEASE.namespace && name === LEASE.name &&
    code >= 200 && code < 300;
}

/** What a manager wrote as a leader; attempts to get the lease, and questions about who may see its endpoint, are none of it. */
export function isLeadersWrite({ actor, resource }: AuditedRequest): boolean {
  return actor.startsWith(USER_PREFIX) && resource !== "leases" && !/reviews$/.test(resource);
}

/** The writes of one process without a break. */
export interface Reign {
  readonly actor: string;
  readonly firstMs: number;
  /** When the last of them had been answered. */
  endMs: number;
  count: number;
}

/** Writes in their order, as the rule of one process after the other. */
export function reignsOf(writes: readonly AuditedRequest[]): Reign[] {
  const reigns: Reign[] = [];
  for (const { actor, receivedMs, answeredMs } of writes) {
    const current = reigns.at(-1);
    if (current?.actor === actor) {
      current.count++;
      current.endMs = Math.max(current.endMs, answeredMs);
    } else reigns.push({ actor, firstMs: receivedMs, endMs: answeredMs, count: 1 });
  }
  return reigns;
}
