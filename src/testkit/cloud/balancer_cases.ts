import type { LoadBalancerStatus, Node, Service } from "../../api/mod.ts";
import { ImplementedElsewhereError } from "../../cloud/mod.ts";
import type { BalancerTestbed } from "./testbed.ts";
import { expect, expectEqual, outcomeOf, type Trial } from "./trial.ts";

/** Test cases for balancers, by name. */
export type BalancerCases = Readonly<Record<string, (trial: BalancerTrial) => Promise<void>>>;

/** Balancers under test. */
export class BalancerTrial {
  readonly #trial: Trial;
  readonly bed: BalancerTestbed;

  constructor(trial: Trial, bed: BalancerTestbed) {
    this.#trial = trial;
    this.bed = bed;
  }

  get #balancers() {
    return this.#trial.provider.loadBalancers!;
  }

  /** A Service that wants a balancer. */
  service(name: string, { uid = `11111111-2222-4333-8444-${name.padEnd(12, "0")}`, ports = [80] } = {}): Service {
    const service: Service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace: "default", name, uid, creationTimestamp: "2026-01-01T00:00:00Z" },
      spec: {
        type: "LoadBalancer",
        clusterIP: "10.96.0.10",
        clusterIPs: ["10.96.0.10"],
        ipFamilies: ["IPv4"],
        ipFamilyPolicy: "SingleStack",
        externalTrafficPolicy: "Cluster",
        internalTrafficPolicy: "Cluster",
        sessionAffinity: "None",
        allocateLoadBalancerNodePorts: true,
        selector: { app: name },
        ports: ports.map((port) => ({
          name: `port-${port}`,
          protocol: "TCP",
          port,
          targetPort: 8080,
          nodePort: 30_000 + port,
        })),
      },
      status: { loadBalancer: {} },
    };
    return this.bed.service?.(service) ?? service;
  }

  get(service: Service): Promise<LoadBalancerStatus | null> {
    return this.#balancers.getLoadBalancer(this.#trial.clusterName, service, this.#trial.signal);
  }

  /** Ensures the balancer and writes its addresses to the Service, as the controller does. */
  async ensure(service: Service, nodes: readonly Node[] = this.bed.nodes): Promise<Service> {
    const { clusterName, signal } = this.#trial;
    const status = await this.#trial.patiently(() =>
      this.#balancers.ensureLoadBalancer(clusterName, service, nodes, signal)
    );
    expect(typeof status === "object" && status !== null, "ensureLoadBalancer returned no status");
    return { ...service, status: { loadBalancer: status } };
  }

  async update(service: Service, nodes: readonly Node[]): Promise<void> {
    const { clusterName, signal } = this.#trial;
    await this.#trial.patiently(() => this.#balancers.updateLoadBalancer(clusterName, service, nodes, signal));
  }

  async remove(service: Service): Promise<void> {
    const { clusterName, signal } = this.#trial;
    await this.#trial.patiently(() => this.#balancers.ensureLoadBalancerDeleted(clusterName, service, signal));
  }

  /** Tries to make a balancer when the process may no longer do so. */
  async ensureTooLate(service: Service): Promise<void> {
    const { clusterName } = this.#trial;
    const call = this.#balancers.ensureLoadBalancer(clusterName, service, this.bed.nodes, AbortSignal.abort());
    const { error } = await this.#trial.ends("ensureLoadBalancer", call);
    expect(error !== undefined, "ensureLoadBalancer succeeded although its signal had aborted");
  }

  /** Starts to make a balancer, then aborts. */
  async ensureCutShort(service: Service): Promise<void> {
    const stop = new AbortController();
    const { clusterName } = this.#trial;
    const call = this.#balancers.ensureLoadBalancer(clusterName, service, this.bed.nodes, stop.signal);
    stop.abort();
    await this.#trial.ends("ensureLoadBalancer", call);
  }

  async expectThere(service: Service, what: string): Promise<LoadBalancerStatus> {
    const status = await this.get(service);
    expect(typeof status === "object" && status !== null, `getLoadBalancer finds no balancer ${what}`);
    return status;
  }

  async expectNone(service: Service, what: string): Promise<void> {
    expectEqual(await this.get(service), null, `What getLoadBalancer finds ${what}`);
  }

  async expectTargets(service: Service, nodes: readonly Node[]): Promise<void> {
    const targets = await this.bed.targets?.(service);
    if (targets) expectEqual(targets.toSorted(), namesOf(nodes), "The list of nodes that get the balancer's traffic");
  }
}

function namesOf(nodes: readonly Node[]): string[] {
  return nodes.map(({ metadata }) => metadata?.name ?? "").sort();
}

export const BALANCER_CASES: BalancerCases = {
  "there is no balancer before one is made": async (trial) => {
    await trial.expectNone(trial.service("web"), "before anything was made");
  },
  "a balancer that was made is found, with the same addresses": async (trial) => {
    const service = await trial.ensure(trial.service("web"));
    const { ingress } = await trial.expectThere(service, "that was just made");
    expectEqual(ingress ?? [], service.status?.loadBalancer?.ingress ?? [], "What getLoadBalancer says");
    await trial.expectTargets(service, trial.bed.nodes);
  },
  "a balancer has addresses that a Service can name": async (trial) => {
    const { status } = await trial.ensure(trial.service("web"));
    const ingress = status?.loadBalancer?.ingress ?? [];
    expect(ingress.length > 0, "ensureLoadBalancer returned no address");
    for (const { ip, hostname } of ingress) {
      expect(Boolean(ip) || Boolean(hostname), "ensureLoadBalancer returned an entry with neither ip nor hostname");
      expect(!ip || /^[\da-f:.]+$/i.test(ip), `ensureLoadBalancer returned ${JSON.stringify(ip)} as an ip`);
    }
  },
  "ensuring again changes nothing": async (trial) => {
    const service = await trial.ensure(trial.service("web"));
    const changes = trial.bed.changes?.();
    const again = await trial.ensure(service);
    expectEqual(again.status, service.status, "The second status");
    expectEqual(trial.bed.changes?.(), changes, "The number of changes to the cloud");
    await trial.remove(service);
    await trial.expectNone(service, "after what was ensured twice was deleted once");
  },
  "a balancer keeps its addresses when ports change": async (trial) => {
    const service = await trial.ensure(trial.service("web"));
    const { spec } = trial.service("web", { ports: [80, 443] });
    const changed = await trial.ensure({ ...service, spec });
    expectEqual(changed.status, service.status, "The status after a port was added");
    const back = await trial.ensure({ ...changed, spec: service.spec });
    expectEqual(back.status, service.status, "The status after the port was removed");
  },
  "a balancer gets other nodes, and none": async (trial) => {
    const service = await trial.ensure(trial.service("web"));
    for (const nodes of [trial.bed.nodes.slice(0, 1), [], trial.bed.nodes]) {
      await trial.update(service, nodes);
      await trial.expectTargets(service, nodes);
    }
    await trial.expectThere(service, "whose nodes were changed");
  },
  "a balancer can be made without nodes": async (trial) => {
    const service = await trial.ensure(trial.service("web"), []);
    await trial.expectThere(service, "that was made without nodes");
    await trial.expectTargets(service, []);
  },
  "giving nodes to a balancer that is not there makes none": async (trial) => {
    const service = trial.service("web");
    await outcomeOf(trial.update(service, trial.bed.nodes)); // it may fail
    await trial.expectNone(service, "after updateLoadBalancer");
  },
  "deleting a balancer that does not exist succeeds": async (trial) => {
    await trial.remove(trial.service("web"));
  },
  "a balancer that was deleted is gone, and can be deleted again": async (trial) => {
    const service = await trial.ensure(trial.service("web"));
    await trial.remove(service);
    await trial.expectNone(service, "that was deleted");
    await trial.remove(service);
  },
  "Services have balancers of their own": async (trial) => {
    const web = await trial.ensure(trial.service("web"));
    const shop = await trial.ensure(trial.service("shop"));
    await trial.remove(web);
    await trial.expectThere(shop, "after another Service's was deleted");
    await trial.expectNone(web, "that was deleted");
  },
  "a Service that was created anew gets a balancer of its own": async (trial) => {
    const old = await trial.ensure(trial.service("web"));
    await trial.remove(old);
    const anew = await trial.ensure(trial.service("web", { uid: "99999999-2222-4333-8444-555555555555" }));
    await trial.expectThere(anew, "of the new Service");
  },
  "a balancer is not made once the call's signal has aborted": async (trial) => {
    const service = trial.service("web");
    await trial.ensureTooLate(service);
    await trial.expectNone(service, "after a call whose signal had aborted");
  },
  "making a balancer can be cut short, and done again": async (trial) => {
    const service = trial.service("web");
    await trial.ensureCutShort(service);
    const made = await trial.ensure(service);
    await trial.expectThere(made, "that was made at the second try");
    await trial.remove(made);
    await trial.expectNone(made, "after what was made at the second try was deleted");
  },
  "nobody else is said to delete a balancer": async (trial) => {
    const service = trial.service("web");
    await outcomeOf(trial.ensure(service));
    const { error } = await outcomeOf(trial.remove(service));
    expect(
      !(error instanceof ImplementedElsewhereError),
      "ensureLoadBalancerDeleted failed with ImplementedElsewhereError, after which the Service would go and not its balancer",
    );
  },
};
