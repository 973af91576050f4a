import type { Service } from "../../api/mod.ts";
import type { TargetSet } from "./target_nodes.ts";

/** A Service that may have a balancer. */
export interface KnownService {
  /** As it was when it was last synced. */
  readonly service: Service;
  /** The nodes that the cloud was last given for it, whatever the result. */
  targets?: TargetSet;
}

/**
 * The Services that were synced and may have a balancer, by their keys. One leaves when its balancer is gone.
 * Upstream: `cache` and `lastSyncedNodes` of the controller.
 */
export class KnownServices {
  readonly #services = new Map<string, KnownService>();

  get(key: string): KnownService | undefined {
    return this.#services.get(key);
  }

  /** Stores the Service's current state and keeps its balancer's nodes. */
  set(key: string, service: Service): KnownService {
    const known = { service, targets: this.#services.get(key)?.targets };
    this.#services.set(key, known);
    return known;
  }

  forget(key: string): void {
    this.#services.delete(key);
  }

  get keys(): string[] {
    return [...this.#services.keys()];
  }
}
