import type { LoadBalancerStatus, Node, ObjectReference, Service } from "../../api/mod.ts";
import { Deferred, unlessAborted, type World } from "../../base/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import { CloudError } from "../errors.ts";
import type { CloudStart, LoadBalancers } from "../provider.ts";
import { type Address, addressText } from "../../ip/mod.ts";
import { Allocator, NoAddressError } from "./allocator.ts";
import type { Claimant } from "./claims.ts";
import { listShown } from "./live_services.ts";
import type { Pool } from "./pools.ts";
import { Releases } from "./releases.ts";
import { wishOf } from "./wish.ts";

/** The calling controller, whose account may read Services and write events. */
const CONTROLLER = "service-controller";

/** The state once the process may act. */
interface Started {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly signal: AbortSignal;
}

/**
 * Allocates addresses from pools to Services. It announces nothing: routers or neighbours must learn the addresses'
 * location by other means.
 *
 * Contract:
 * 1. The statuses of Services are the only memory. All are read, as the API server has them now, before any address is
 *    given.
 * 2. Of two Services that show one address the older keeps it. The other is told by an event, and gets another.
 * 3. Deciding is one step for all Services: calls side by side cannot get the same address.
 */
export class PoolBalancers implements LoadBalancers {
  readonly #world: World;
  readonly #allocator: Allocator;
  readonly #releases: Releases;
  readonly #ready = new Deferred<Started>();
  #started?: Started;

  constructor(world: World, pools: readonly Pool[]) {
    this.#world = world;
    this.#allocator = new Allocator(pools);
    this.#releases = new Releases(world, this.#allocator.claims);
  }

  /**
   * Reads the addresses that Services have.
   * @throws {Error} If the API server cannot be read; no address is allocated then.
   */
  async start({ clients, recorder, signal }: CloudStart): Promise<void> {
    const client = clients.client(CONTROLLER);
    const started = { client, recorder: recorder(CONTROLLER, CONTROLLER), signal };
    const shown = await listShown(client, signal);
    for (const { claimant, address } of this.#allocator.adopt(shown)) {
      const text = addressText(address);
      this.#world.log.warn("Two Services have the same address: the older keeps it", {
        address: text,
        other: nameOf(claimant),
      });
      started.recorder.event(
        referenceTo(claimant),
        "Warning",
        "LoadBalancerAddressConflict",
        `The address ${text} is an older Service's, too: this one gets another`,
      );
    }
    this.#world.log.info("Addresses of Services are known", {
      services: shown.length,
      addresses: this.#allocator.claims.count,
    });
    this.#started = started;
    this.#ready.resolve(started);
    this.#releases.run(client, signal).catch((err) => this.#world.log.error("Addresses are freed no more", { err }));
  }

  /** Replaces the pools. Services keep addresses that are no longer in any pool, and get an event. */
  setPools(pools: readonly Pool[]): void {
    for (const { claimant, address } of this.#allocator.setPools(pools)) {
      const text = addressText(address);
      this.#world.log.warn("An address in use is in no pool any more", { address: text, service: nameOf(claimant) });
      this.#started?.recorder.event(
        referenceTo(claimant),
        "Warning",
        "LoadBalancerAddressOutsidePools",
        `The address ${text} is in no pool any more: the Service keeps it until it asks for another or the controller restarts`,
      );
    }
  }

  async getLoadBalancer(_cluster: string, service: Service, signal: AbortSignal): Promise<LoadBalancerStatus | null> {
    await unlessAborted(this.#ready.promise, signal);
    const order: readonly string[] = service.spec?.ipFamilies ?? [];
    const held = this.#allocator.claims.of(service.metadata?.uid ?? "").filter(({ isLeaving }) => !isLeaving)
      .map(({ address }) => address).sort((a, b) => order.indexOf(a.family) - order.indexOf(b.family));
    return held.length === 0 ? null : statusOf(held);
  }

  async ensureLoadBalancer(
    _cluster: string,
    service: Service,
    _nodes: readonly Node[],
    signal: AbortSignal,
  ): Promise<LoadBalancerStatus> {
    const { client } = await unlessAborted(this.#ready.promise, signal);
    const wish = wishOf(service);
    try {
      return statusOf(this.#allocator.assign(wish));
    } catch (error) {
      if (!(error instanceof NoAddressError) || !await this.#releases.recheck(client, signal)) throw error;
      return statusOf(this.#allocator.assign(wish));
    } finally {
      this.#releases.hurry(wish.uid);
    }
  }

  async updateLoadBalancer(): Promise<void> {
    // Addresses do not depend on nodes.
  }

  async ensureLoadBalancerDeleted(_cluster: string, service: Service, signal: AbortSignal): Promise<void> {
    await unlessAborted(this.#ready.promise, signal);
    const uid = service.metadata?.uid ?? "";
    if (uid === "") throw new CloudError("Cannot free the addresses of a Service without a UID");
    this.#allocator.release(uid);
    this.#releases.hurry(uid);
  }
}

function statusOf(addresses: readonly Address[]): LoadBalancerStatus {
  return { ingress: addresses.map((address) => ({ ip: addressText(address), ipMode: "VIP" })) };
}

function referenceTo({ uid, namespace, name }: Claimant): ObjectReference {
  return { apiVersion: "v1", kind: "Service", namespace, name, uid };
}

function nameOf({ namespace, name }: Claimant): string {
  return `${namespace}/${name}`;
}
