import type { CustomResourceDefinition } from "../../../api/mod.ts";
import { unlessAborted } from "../../../base/mod.ts";
import { collectionOf, storageVersion } from "./custom_resources.ts";
import { DEFINITIONS, readDefinition, writeStatus } from "./definition_writes.ts";
import { isTrue, type NewCondition, withCondition } from "../definitions/mod.ts";
import { nowText } from "../traits/mod.ts";
import { CLEANUP_FINALIZER } from "../kinds/mod.ts";
import { type ServerState, systemOperation } from "../operations/mod.ts";
import { deleteEach } from "../writes/mod.ts";

function terminating(status: "True" | "False", reason: string, message: string): NewCondition {
  return { type: "Terminating", status, reason, message };
}

const IN_PROGRESS = terminating("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress");
const COMPLETED = terminating("False", "InstanceDeletionCompleted", "removed all instances");
const NEVER_SERVED = terminating("False", "NeverEstablished", "resource was never established");
const BUILT_IN = terminating(
  "False",
  "OverlappingBuiltInResource",
  "instances overlap with built-in resources in storage",
);

/**
 * Deletes the instances of definitions that are being deleted, waits for their finalizers, and lets the definitions go.
 *
 * Contract:
 * 1. Each definition is cleaned up once, however often `start` is called.
 * 2. A definition is removed only when no instance is left.
 * 3. Nothing is written after `close`.
 *
 * Upstream: `apiextensions-apiserver/pkg/controller/finalizer`, which gives up after a minute and starts again; here it
 * waits for the last instance.
 */
export class CustomResourceCleanup {
  readonly #state: ServerState;
  readonly #isBuiltIn: (collection: string) => boolean;
  readonly #stop = new AbortController();
  readonly #started = new Set<string>();

  constructor(state: ServerState, isBuiltIn: (collection: string) => boolean) {
    this.#state = state;
    this.#isBuiltIn = isBuiltIn;
  }

  close(): void {
    this.#stop.abort();
  }

  /** Starts the cleanup if the definition is being deleted and its instances must go first. */
  start(definition: CustomResourceDefinition): void {
    const { uid = "", deletionTimestamp, finalizers } = definition.metadata ?? {};
    if (!deletionTimestamp || !finalizers?.includes(CLEANUP_FINALIZER) || this.#started.has(uid)) return;
    this.#started.add(uid);
    this.#cleanUp(definition).catch((err) => {
      if (this.#stop.signal.aborted) return;
      const about = { definition: collectionOf(definition), err };
      this.#state.world.log.error("Custom resources could not be cleaned up", about);
    });
  }

  /** Forgets a definition that is gone. */
  forget(uid: string): void {
    this.#started.delete(uid);
  }

  async #cleanUp(definition: CustomResourceDefinition): Promise<void> {
    const name = definition.metadata?.name ?? "";
    const collection = collectionOf(definition);
    this.#write(name, IN_PROGRESS);
    if (this.#isBuiltIn(collection)) return this.#release(name, BUILT_IN);
    if (!isTrue(definition, "Established")) return this.#release(name, NEVER_SERVED);
    await this.#deleteInstances(definition);
    this.#release(name, COMPLETED);
  }

  /** Rejects if the cleanup is closed. */
  async #deleteInstances(definition: CustomResourceDefinition): Promise<void> {
    const collection = collectionOf(definition);
    const { store } = this.#state;
    const { signal } = this.#stop;
    const gone = Promise.withResolvers<void>();
    const check = () => store.count(collection) === 0 && gone.resolve();
    const unsubscribe = store.subscribe(collection, check);
    try {
      const instances = [...store.list(collection) ?? []].map(({ object }) => object);
      const served = storageVersion(definition);
      if (served) await deleteEach({ ...systemOperation(this.#state, DEFINITIONS), served }, instances, { signal });
      check();
      await unlessAborted(gone.promise, signal);
    } finally {
      unsubscribe();
    }
  }

  #write(name: string, condition: NewCondition, finalizers?: readonly string[]): void {
    const object = this.#state.store.get(DEFINITIONS, name);
    if (!object) return;
    const status = withCondition(readDefinition(object).status ?? {}, condition, nowText(this.#state));
    writeStatus(this.#state, name, status, finalizers);
  }

  #release(name: string, condition: NewCondition): void {
    const { finalizers = [] } = this.#state.store.get(DEFINITIONS, name)?.metadata ?? {};
    this.#write(name, condition, finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER));
  }
}
