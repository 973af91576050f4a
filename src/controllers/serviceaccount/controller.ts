import type { MetricsRegistry, World } from "../../base/mod.ts";
import { type Namespace, NAMESPACES, type ServiceAccount, SERVICEACCOUNTS, splitKey } from "../../api/mod.ts";
import { deletedKey, type EventHandler, type HandlerOptions, type Syncing } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerDescriptor, runController } from "../common/mod.ts";
import { createAccounts } from "./actions.ts";
import { accountsToCreate, ENSURED_ACCOUNTS } from "./sync.ts";

/** The part of a shared informer that this controller uses. */
export interface AccountInformer<T> {
  readonly lister: { get(namespace: string | undefined, name: string): T | undefined };
  addEventHandler(handler: EventHandler<T>, options?: HandlerOptions): Syncing;
}

export interface ServiceAccountControllerOptions {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  readonly client: Pick<Client, "create">;
  readonly namespaces: AccountInformer<Namespace>;
  readonly accounts: AccountInformer<ServiceAccount>;
  /** Names of the accounts to ensure; default {@link ENSURED_ACCOUNTS}. */
  readonly ensured?: readonly string[];
}

/**
 * Gives every Active namespace its ServiceAccount `default`. Keys are names of namespaces.
 * Upstream: `pkg/controller/serviceaccount/serviceaccounts_controller.go`.
 */
export class ServiceAccountController implements Controller {
  readonly #options: ServiceAccountControllerOptions;
  readonly #queue: WorkQueue<string>;
  readonly #synced: readonly Syncing[];

  constructor(options: ServiceAccountControllerOptions) {
    this.#options = options;
    const { world, metrics, namespaces, accounts } = options;
    const queue = this.#queue = new WorkQueue<string>({ world, metrics, name: "serviceaccount" });
    const noResync = { resyncPeriodMs: 0 };
    this.#synced = [
      accounts.addEventHandler({
        onDelete: (account) => queue.add(splitKey(deletedKey(account)).namespace, "service account deleted"),
      }, noResync),
      namespaces.addEventHandler({
        onAdd: ({ metadata }) => queue.add(metadata?.name ?? "", "namespace added"),
        onUpdate: (_old, { metadata }) => queue.add(metadata?.name ?? "", "namespace updated"),
      }, noResync),
    ];
  }

  async run(signal: AbortSignal): Promise<void> {
    const { world } = this.#options;
    await runController({
      name: "service account",
      world,
      queue: this.#queue,
      caches: this.#synced,
      signal,
      workers: 1,
      sync: (name) => this.#sync(name),
    });
  }

  async #sync(name: string): Promise<void> {
    const { client, namespaces, accounts, ensured = ENSURED_ACCOUNTS } = this.#options;
    const namespace = namespaces.lister.get(undefined, name);
    const missing = accountsToCreate(namespace, ensured, (account) => accounts.lister.get(name, account));
    await createAccounts(client, name, missing);
  }
}

/** Ensures the ServiceAccount `default` in every namespace. */
export const SERVICEACCOUNT_CONTROLLER: ControllerDescriptor = {
  name: "serviceaccount-controller",
  build: (context) =>
    new ServiceAccountController({
      world: { ...context.world, log: context.world.log.named("serviceaccount-controller") },
      metrics: context.metrics,
      client: context.clients.client("service-account-controller"),
      namespaces: context.informers.informer(NAMESPACES),
      accounts: context.informers.informer(SERVICEACCOUNTS),
    }),
};
