import {
  compareResourceVersions,
  type Event,
  EVENTS,
  groupResource,
  type KubeObject,
  objectKey,
  splitKey,
} from "../../api/mod.ts";
import { unlessAborted, type World } from "../../base/mod.ts";
import { InformerFactory } from "../../cache/mod.ts";
import type { Applied, Client } from "../../client/mod.ts";
import type { Board } from "./board.ts";
import { eventText } from "./event_text.ts";
import { SHOWN_KINDS, type ShownKind } from "./kinds.ts";
import type { View } from "./views.ts";

/** What {@link Progress} needs. */
export interface ProgressOptions {
  readonly world: World;
  readonly client: Client;
  readonly board: Board;
  readonly view: View;
  /** The running controllers; objects that need another one are reported once. */
  readonly controllers: readonly string[];
}

/** Follows a cluster's progress and updates a {@link View}. */
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

  /**
   * Resolves when `holds` returns true; it is called after each change.
   *
   * @throws The reason of `signal`, as soon as that aborts.
   */
  async until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => holds() && resolve();
    this.#waiting.add(look);
    try {
      look();
      await unlessAborted(promise, signal);
    } finally {
      this.#waiting.delete(look);
    }
  }

  /**
   * The objects of `applied` that are not ready, with their standing. Objects of kinds that are not shown, or without a
   * controller, count as ready.
   */
  unready(applied: readonly Applied[]): string[] {
    return applied.flatMap(({ resource, key, resourceVersion }) => {
      const kind = SHOWN_KINDS.find((shown) => groupResource(shown.resource) === groupResource(resource));
      if (!kind || this.#isAbandoned(kind)) return [];
      const { namespace, name } = splitKey(key);
      const object = this.#informers.informer(kind.resource).lister.get(namespace, name);
      const isSeen = object && compareResourceVersions(object.metadata?.resourceVersion ?? "", resourceVersion) !== -1;
      const { ready, text } = isSeen ? kind.standing(object) : { ready: false, text: "not seen yet" };
      return ready ? [] : [`${resource.kind} ${key}: ${text}`];
    });
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

  #isAbandoned({ controller }: ShownKind): boolean {
    return controller !== undefined && !this.#options.controllers.includes(controller);
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
    const { board, view } = this.#options;
    const key = objectKey(object);
    const standing = kind.standing(object);
    const before = board.note(kind, key, standing);
    const isNews = before?.text !== standing.text && !(isInInitialList && standing.ready);
    if (kind.isTold && isNews) view.say(lineOf(kind, key, standing.text));
    const startsToWait = !standing.ready && (before?.ready ?? true);
    if (startsToWait && this.#isAbandoned(kind)) {
      view.say(lineOf(kind, key, `waits for the ${kind.controller}, which does not run here`));
    }
    this.#changed();
  }

  #noteEvent(event: Event, isInInitialList: boolean): void {
    const { board, view } = this.#options;
    board.noteEvent(event);
    if (event.type === "Warning" && !isInInitialList) view.say(`${"warning".padEnd(14)} ${eventText(event)}`);
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
