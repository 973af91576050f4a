import type { KubeObject, Resource } from "../../../../src/api/mod.ts";
import { MemoryLogger, systemWorld } from "../../../../src/base/mod.ts";
import { InformerFactory, type SharedInformer } from "../../../../src/cache/mod.ts";
import type { Client } from "../../../../src/client/mod.ts";
import { eventually } from "../../../controlplane/process.ts";
import { PATIENCE } from "./kit.ts";

/** All objects of a kind by a watch, for conditions that lists would be too dear for. */
export class Watched<T extends KubeObject> implements AsyncDisposable {
  readonly #informers: InformerFactory;
  readonly #informer: SharedInformer<T>;

  constructor(client: Client, resource: Resource<T>) {
    this.#informers = new InformerFactory({ world: systemWorld(new MemoryLogger()), client, name: "bench" });
    this.#informer = this.#informers.informer(resource);
    this.#informers.start(new AbortController().signal);
  }

  /** Waits until `holds` says yes of all objects there are. */
  async until(what: string, holds: (objects: readonly T[]) => boolean): Promise<void> {
    await eventually(what, () => Promise.resolve(holds(this.#informer.lister.list())), PATIENCE);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informers.shutdown();
  }
}
