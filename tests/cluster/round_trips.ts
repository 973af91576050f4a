/** How long each controller group takes to answer a change, measured again and again. */
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { CONFIGMAPS, DEPLOYMENTS, objectKey, PODS, SERVICEACCOUNTS } from "../../src/api/mod.ts";
import { InformerFactory } from "../../src/cache/mod.ts";
import { eventually } from "../controlplane/process.ts";
import { deployment, type Kit } from "../scenarios/kit.ts";

/** One change and its answer; `ms` is undefined while nobody has answered. */
interface Trip {
  readonly group: string;
  readonly startMs: number;
  ms?: number;
}

const EVERY_MS = 200;

/**
 * Makes changes in namespaces of its own and waits for what the groups do about them:
 * `workloads` makes a Deployment's pod, `garbage` deletes what a missing owner owns, `rest` makes a deleted ServiceAccount anew.
 * That one is deleted in a namespace without pods: they could not be made without it.
 */
export class RoundTrips implements AsyncDisposable {
  readonly #kit: Kit;
  readonly #accounts: Kit;
  readonly #factories: readonly InformerFactory[];
  readonly #stop = new AbortController();
  readonly #trips: Trip[] = [];
  readonly #waiting = new Map<string, () => void>();
  #running: Promise<unknown> = Promise.resolve();

  private constructor(kit: Kit, accounts: Kit) {
    this.#kit = kit;
    this.#accounts = accounts;
    const world = systemWorld(new MemoryLogger());
    this.#factories = [kit, accounts].map(({ client, namespace }) => new InformerFactory({ world, client, namespace }));
    const [objects, deleted] = this.#factories;
    objects.informer(PODS).addEventHandler({
      onAdd: (pod) => this.#saw(`pod of ${pod.metadata?.labels?.app}`),
    });
    objects.informer(CONFIGMAPS).addEventHandler({
      onDelete: (gone) => this.#saw(`end of ${"key" in gone ? gone.key : objectKey(gone)}`),
    });
    deleted.informer(SERVICEACCOUNTS).addEventHandler({ onAdd: () => this.#saw("account") });
  }

  /** Measures until it is disposed of. */
  static async start(kit: Kit, accounts: Kit): Promise<RoundTrips> {
    const trips = new RoundTrips(kit, accounts);
    for (const factory of trips.#factories) {
      factory.start(trips.#stop.signal);
      await factory.whenSynced(trips.#stop.signal);
    }
    trips.#running = Promise.all([
      trips.#again("workloads", (name) => trips.#deployment(name)),
      trips.#again("garbage", (name) => trips.#orphan(name)),
      trips.#again("rest", () => trips.#account()),
    ]);
    return trips;
  }

  /** Milliseconds of the trips of `group` that were under way between two moments. */
  between(group: string, startMs: number, endMs: number): number[] {
    return this.#trips.flatMap((trip) => {
      const ms = trip.ms ?? performance.now() - trip.startMs;
      return trip.group === group && trip.startMs < endMs && trip.startMs + ms >= startMs ? [ms] : [];
    });
  }

  /** Waits until `group` has answered after `sinceMs`. */
  async answered(group: string, sinceMs: number): Promise<void> {
    await eventually(
      `group ${group} answers`,
      () => this.#trips.some((trip) => trip.group === group && trip.ms && trip.startMs + trip.ms >= sinceMs),
      { everyMs: 20, withinMs: 90_000 },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const resolve of this.#waiting.values()) resolve();
    await this.#running;
    await Promise.all(this.#factories.map((factory) => factory.shutdown()));
  }

  async #again(group: string, measure: (name: string) => Promise<void>): Promise<void> {
    for (let i = 0; !this.#stop.signal.aborted; i++) {
      const trip: Trip = { group, startMs: performance.now() };
      this.#trips.push(trip);
      await measure(`trip-${i}`);
      trip.ms = performance.now() - trip.startMs;
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }

  async #deployment(name: string): Promise<void> {
    const seen = this.#until(`pod of ${name}`);
    await this.#kit.create(DEPLOYMENTS, deployment(name, { replicas: 1 }));
    await seen;
    await this.#kit.delete(DEPLOYMENTS, name, "Background");
  }

  async #orphan(name: string): Promise<void> {
    const seen = this.#until(`end of ${this.#kit.namespace}/${name}`);
    const nobody = { apiVersion: "v1", kind: "ConfigMap", name: "nobody", uid: crypto.randomUUID() };
    await this.#kit.create(CONFIGMAPS, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, ownerReferences: [nobody] },
    });
    await seen;
  }

  async #account(): Promise<void> {
    const seen = this.#until("account");
    await this.#accounts.delete(SERVICEACCOUNTS, "default");
    await seen;
  }

  #until(what: string): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.set(what, resolve));
  }

  #saw(what: string): void {
    this.#waiting.get(what)?.();
    this.#waiting.delete(what);
  }
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
