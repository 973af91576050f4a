import { type Event, EVENTS, type KubeObject, objectKey } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import { InformerFactory } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { Board } from "./board.ts";
import { SHOWN_KINDS, type ShownKind } from "./kinds.ts";
import type { View } from "./views.ts";

/** What {@link Progress} is made of. */
export interface ProgressOptions {
  readonly world: World;
  readonly client: Client;
  readonly board: Board;
  readonly view: View;
  /** The controllers that run; objects that wait for another one are named once. */
  readonly controllers: readonly string[];
}

/** Follows what happens in a cluster, and tells a {@link View}. */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #informers: InformerFactory;
  readonly #waiting = new Set<() => void>();

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#informers = new InformerFactory({ world: options.world, client: options.client, name: "progress" });
    for (const kind of SHOWN_KINDS) this.#follow(kind);
    this.#informers.informer(EVENTS).addEventHandler({
      onAdd: (event, isInInitialList) => this.#noteEvent(event, isInInitialList),
      onUpdate: (_, event) => this.#noteEvent(event, false),
    });
  }

  /** Resolves when `holds`, which is asked after each change; never if `signal` aborts before. */
  until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (signal.aborted || !holds()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Whether every object that a running controller looks after is ready, and there is one. */
  get isComplete(): boolean {
    const { board, controllers } = this.#options;
    const kinds = SHOWN_KINDS.filter(({ controller }) => controller !== undefined && controllers.includes(controller));
    const tallies = kinds.map((kind) => board.tally(kind));
    return tallies.some(({ total }) => total > 0) && tallies.every(({ ready, total }) => ready === total);
  }

  /** Follows until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#informers.start(signal);
    await new Promise<void>((resolve) => {
      if (signal.aborted) return resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await this.#informers.shutdown();
  }

  #follow(kind: ShownKind): void {
    this.#informers.informer(kind.resource).addEventHandler({
      onAdd: (object, isInInitialList) => this.#note(kind, object, isInInitialList),
      onUpdate: (_, object) => this.#note(kind, object, false),
      onDelete: (gone) => {
        const key = "key" in gone ? gone.key : objectKey(gone);
        this.#options.board.note(kind, key, undefined);
        if (kind.isTold) this.#options.view.say(lineOf(kind, key, "gone"));
        this.#changed();
      },
    });
  }

  #note(kind: ShownKind, object: KubeObject, isInInitialList: boolean): void {
    const { board, view, controllers } = this.#options;
    const key = objectKey(object);
    const standing = kind.standing(object);
    const before = board.note(kind, key, standing);
    const isNews = before?.text !== standing.text && !(isInInitialList && standing.ready);
    if (kind.isTold && isNews) view.say(lineOf(kind, key, standing.text));
    if (!before && kind.controller !== undefined && !controllers.includes(kind.controller)) {
      view.say(lineOf(kind, key, `stays as it is: there is no ${kind.controller} here`));
    }
    this.#changed();
  }

  #noteEvent(event: Event, isInInitialList: boolean): void {
    const { board, view } = this.#options;
    board.noteEvent(event);
    if (event.type === "Warning" && !isInInitialList) {
      const { kind, namespace, name } = event.involvedObject;
      view.say(`${"warning".padEnd(14)} ${kind} ${namespace ?? ""}/${name}: ${event.reason}: ${event.message}`);
    }
    this.#changed();
  }

  #changed(): void {
    this.#options.view.changed();
    for (const look of [...this.#waiting]) look();
  }
}

function lineOf({ resource }: ShownKind, key: string, text: string): string {
  return `${resource.kind.toLowerCase().padEnd(14)} ${key}: ${text}`;
}
