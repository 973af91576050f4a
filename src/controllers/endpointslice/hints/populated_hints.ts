import { TurnBudget, type World } from "../../../base/mod.ts";
import type { Node } from "../../../api/mod.ts";
import type { Lister } from "../../../cache/mod.ts";
import type { AddressType } from "../slice_draft.ts";
import { isOverloaded } from "./allocations.ts";
import { type ZoneShares, zoneShares } from "./zone_shares.ts";

interface Populated {
  /** Whether the last change of any family was that it got hints. */
  isOn: boolean;
  /** Endpoints hinted to each zone, by family. */
  readonly counts: Map<string, ReadonlyMap<string, number>>;
}

/**
 * Tracks the zones' shares of the nodes' CPU, and how Services' endpoints are hinted to zones.
 *
 * Contract:
 * 1. Nodes are looked at before the first answer about shares, and whenever asked to.
 * 2. A Service is overloaded while one of its families has too few endpoints in a zone for the zone's share.
 * 3. A Service counts as populated from its first hints on until those of any family are dropped.
 * 4. A Service that is forgotten leaves nothing behind.
 *
 * Upstream: `k8s.io/endpointslice/topologycache/topologycache.go`, which never forgets a Service.
 */
export class PopulatedHints {
  readonly #world: Pick<World, "clock">;
  readonly #nodes: Pick<Lister<Node>, "list">;
  readonly #services = new Map<string, Populated>();
  #shares: Promise<ZoneShares | undefined> | undefined;

  constructor({ world, nodes }: { readonly world: Pick<World, "clock">; readonly nodes: Pick<Lister<Node>, "list"> }) {
    this.#world = world;
    this.#nodes = nodes;
  }

  /** How many Services are remembered. */
  get size(): number {
    return this.#services.size;
  }

  /** Reads the nodes again. */
  async lookAtNodes(): Promise<void> {
    this.#shares = new TurnBudget(this.#world.clock).run(zoneShares(this.#nodes.list()));
    await this.#shares;
  }

  /** The zones' shares; `undefined` if the nodes lack the information. */
  async shares(): Promise<ZoneShares | undefined> {
    if (!this.#shares) await this.lookAtNodes();
    return await this.#shares;
  }

  /** The keys of the Services that are overloaded. */
  async overloaded(): Promise<string[]> {
    const shares = await this.shares();
    return [...this.#services].filter(([, { counts }]) =>
      [...counts.values()].some((count) => isOverloaded(count, shares))
    ).map(([key]) => key);
  }

  isPopulated(service: string): boolean {
    return this.#services.get(service)?.isOn ?? false;
  }

  /** @param counts Endpoints hinted to each zone. */
  populate(service: string, addressType: AddressType, counts: ReadonlyMap<string, number>): void {
    let populated = this.#services.get(service);
    if (!populated) this.#services.set(service, populated = { isOn: true, counts: new Map() });
    populated.isOn = true;
    populated.counts.set(addressType, counts);
  }

  /** Records that a family of a Service has no hints. */
  drop(service: string, addressType: string): void {
    const populated = this.#services.get(service);
    if (!populated) return;
    populated.isOn = false;
    populated.counts.delete(addressType);
    if (populated.counts.size === 0) this.#services.delete(service);
  }

  /** @param service `namespace/name` of a Service that is gone. */
  forget(service: string): void {
    this.#services.delete(service);
  }
}
