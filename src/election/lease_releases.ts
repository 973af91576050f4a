import { type Lease, LEASES } from "../api/mod.ts";
import { Deferred, type World } from "../base/mod.ts";
import { InformerFactory } from "../cache/mod.ts";
import type { Client } from "../client/mod.ts";

/** Which Lease is watched, and how. */
export interface LeaseReleasesOptions {
  readonly world: World;
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
  /** Called with each state of the Lease; with none once it is gone. */
  onSeen?(lease: Lease | undefined): void;
}

/**
 * Watches a Lease, so that candidates notice a release at once instead of at their next try, and a leader notices
 * changes by others.
 *
 * Contract:
 * 1. `next` resolves when the Lease is seen to lose its holder, or to be deleted, after the call.
 * 2. `onSeen` hears of the Lease as it is at first and after each change, and of its deletion.
 * 3. It is a hint: without it, or without the right to watch, candidates find out at their next try.
 *
 * Upstream lacks this: its standby waits out the retry period.
 */
export class LeaseReleases {
  readonly #factory: InformerFactory;
  #next = new Deferred();

  constructor({ world, client, namespace, name, onSeen }: LeaseReleasesOptions) {
    this.#factory = new InformerFactory({ world, client, namespace, fieldSelector: `metadata.name=${name}` });
    this.#factory.informer(LEASES).addEventHandler({
      onAdd: (lease) => onSeen?.(lease),
      onUpdate: (_, lease) => {
        onSeen?.(lease);
        this.#saw(lease);
      },
      onDelete: () => {
        onSeen?.(undefined);
        this.#saw(undefined);
      },
    });
  }

  /** Watches until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#factory.start(signal);
    if (!signal.aborted) {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    }
    await this.#factory.shutdown();
  }

  /** Resolves at the next release. */
  next(): Promise<void> {
    return this.#next.promise;
  }

  #saw(lease: Lease | undefined): void {
    if (lease?.spec?.holderIdentity) return;
    this.#next.resolve();
    this.#next = new Deferred();
  }
}
