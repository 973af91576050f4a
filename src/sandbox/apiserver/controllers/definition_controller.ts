import type { CustomResourceDefinition } from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import type { StoreEvent } from "../../storage/mod.ts";
import { CustomResourceCleanup } from "./custom_resource_cleanup.ts";
import { collectionOf, servedVersions } from "./custom_resources.ts";
import { DEFINITIONS, readDefinition, writeStatus } from "./definition_writes.ts";
import { decideNames, ESTABLISHED, isTrue, withCondition } from "../definitions/mod.ts";
import { nowText } from "../traits/mod.ts";
import type { ServerState } from "../operations/mod.ts";
import { afterWrite } from "./after_write.ts";

type Status = NonNullable<CustomResourceDefinition["status"]>;

/** What is served for a definition. */
interface Served {
  /** The part of it that clients can see. */
  readonly shown: unknown;
  readonly isTerminating: boolean;
}

/**
 * Makes definitions what they say: accepts their names, establishes them, serves their resources, and cleans up when they go.
 *
 * Contract:
 * 1. A definition whose names are free in its group is established right after the write that made it, in two more
 *    writes.
 * 2. An established definition is served from the moment its write returns until it is gone.
 * 3. A name that becomes free is given to a definition that waits for it.
 * 4. A resource that is part of the server is never replaced by a custom one.
 * 5. Watches of a resource end when its definition changes or goes, since what they show is no longer served.
 * 6. A server that starts over a store with definitions serves them, and finishes what was begun.
 *
 * Upstream: `apiextensions-apiserver/pkg/controller/{status,establish,finalizer}` and `apiserver/customresource_handler.go`.
 */
export class DefinitionController {
  readonly #state: ServerState;
  readonly #cleanup: CustomResourceCleanup;
  readonly #endWatches: (collection: string) => void;
  readonly #unsubscribe: () => void;
  /** What is served for each definition, so that a write to its status recompiles nothing. */
  readonly #served = new Map<string, Served>();
  readonly #builtIn: ReadonlySet<string>;
  #isClosed = false;
  readonly #queue = afterWrite(
    () => this.#isClosed || this.#sync(),
    (err) => this.#state.world.log.error("Definitions could not be looked after", { err }),
  );

  /** @param endWatches Called with a resource's collection when what was served for it is out of date. */
  constructor(state: ServerState, endWatches: (collection: string) => void) {
    this.#state = state;
    this.#endWatches = endWatches;
    this.#builtIn = new Set(state.resources.all().map(({ collection }) => collection));
    this.#cleanup = new CustomResourceCleanup(state, (collection) => this.#builtIn.has(collection));
    for (const definition of this.#all()) this.#serve(definition);
    this.#unsubscribe = state.store.subscribe(DEFINITIONS, (event) => this.#changed(event));
    this.#queue();
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#cleanup.close();
  }

  #all(): CustomResourceDefinition[] {
    return [...this.#state.store.list(DEFINITIONS) ?? []].map(({ object }) => readDefinition(object));
  }

  #changed({ type, object }: StoreEvent): void {
    const definition = readDefinition(object);
    if (type === "DELETED") this.#forget(definition);
    else this.#serve(definition);
    this.#queue();
  }

  #sync(): void {
    // In the order of writes: the first definition gets the name, and each decision sees those before it.
    const revision = ({ metadata }: CustomResourceDefinition) => Number(metadata?.resourceVersion);
    for (const { metadata } of this.#all().sort((a, b) => revision(a) - revision(b))) {
      this.#acceptNames(metadata?.name ?? "");
      this.#establish(metadata?.name ?? "");
    }
    for (const definition of this.#all()) this.#cleanup.start(definition);
  }

  #find(name: string): CustomResourceDefinition | undefined {
    const object = this.#state.store.get(DEFINITIONS, name);
    return object && readDefinition(object);
  }

  #acceptNames(name: string): void {
    const definition = this.#find(name);
    if (!definition) return;
    const group = this.#all().filter(({ spec }) => spec.group === definition.spec.group);
    const decision = decideNames(definition, group);
    if (!decision) return;
    const { acceptedNames, conditions } = decision;
    const now = nowText(this.#state);
    let status: Status = { ...definition.status, acceptedNames };
    for (const condition of conditions) status = withCondition(status, condition, now);
    if (!deepEqual(status, definition.status)) writeStatus(this.#state, name, status);
  }

  #establish(name: string): void {
    const definition = this.#find(name);
    if (!definition || !isTrue(definition, "NamesAccepted") || isTrue(definition, "Established")) return;
    writeStatus(this.#state, name, withCondition(definition.status ?? {}, ESTABLISHED, nowText(this.#state)));
  }

  #serve(definition: CustomResourceDefinition): void {
    const collection = collectionOf(definition);
    if (this.#builtIn.has(collection) || !isTrue(definition, "Established")) return;
    const { spec, status } = definition;
    const said = { shown: { spec, names: status?.acceptedNames }, isTerminating: isTrue(definition, "Terminating") };
    const before = this.#served.get(collection);
    if (deepEqual(before, said)) return;
    this.#served.set(collection, said);
    const { resources } = this.#state;
    resources.removeCollection(collection);
    for (const served of servedVersions(definition)) resources.add(served);
    if (before && !deepEqual(before.shown, said.shown)) this.#endWatches(collection);
  }

  #forget(definition: CustomResourceDefinition): void {
    const collection = collectionOf(definition);
    this.#cleanup.forget(definition.metadata?.uid ?? "");
    if (!this.#served.delete(collection)) return;
    this.#state.resources.removeCollection(collection);
    this.#endWatches(collection);
  }
}
