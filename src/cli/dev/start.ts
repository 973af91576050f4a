import { NODES } from "../../api/mod.ts";
import { type Applied, applyManifests } from "../../client/mod.ts";
import { eventText } from "./event_text.ts";
import { CLOUD_EXAMPLE, EXAMPLE } from "./example.ts";
import { SHOWN_KINDS } from "./kinds.ts";
import type { Progress } from "./progress.ts";
import type { DevOptions } from "./options.ts";

/** How long a cluster may take to serve a newly defined kind. */
const KIND_WITHIN_MS = 10_000;

const NODES_SHOWN = SHOWN_KINDS.find(({ resource }) => resource === NODES)!;

/** The start-up, from the first node until everything applied is ready. */
export class Start {
  readonly #options: DevOptions;
  readonly #progress: Progress;
  readonly #applied: Applied[] = [];
  #isApplied = false;
  #isDone = false;

  constructor(options: DevOptions, progress: Progress) {
    this.#options = options;
    this.#progress = progress;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /**
   * Waits for the nodes, applies the manifests, and waits until everything is ready.
   * @throws The reason of `signal`.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { world, board, view } = this.#options;
    const startedMs = world.clock.monotonicMs();
    board.step("API server", true);
    this.#step(`${this.#nodeCount} nodes`, false);
    const ready = this.#progress.until(() => this.#readyNodes >= this.#nodeCount, signal).then(() => {
      this.#step(`${this.#nodeCount} nodes`, true);
      view.say(`${"nodes".padEnd(14)} ${this.#nodeCount} ready`);
    });
    // Otherwise there would be warnings about balancers whose nodes the cloud does not know yet.
    if (this.#options.flags.bool("cloud")) await ready;
    await Promise.all([ready, this.#apply()]);
    view.say(`${"ready".padEnd(14)} after ${((world.clock.monotonicMs() - startedMs) / 1000).toFixed(1)} s`);
    if (this.#applied.length > 0) {
      await this.#progress.until(() => this.#progress.unready(this.#applied).length === 0, signal);
      this.#step(this.#what, true);
      view.say(`${this.#what.padEnd(14)} all ready`);
    }
    this.#isDone = true;
  }

  /** What is not ready, and the last warning. */
  missing(): string {
    const { board } = this.#options;
    const warning = board.events.findLast(({ type }) => type === "Warning");
    return [
      ...this.#readyNodes < this.#nodeCount ? [`${this.#readyNodes} of ${this.#nodeCount} nodes are ready`] : [],
      ...this.#isApplied ? this.#progress.unready(this.#applied) : [`the ${this.#what} are not applied yet`],
      ...warning ? [`last warning: ${eventText(warning)}`] : [],
    ].join("; ");
  }

  async #apply(): Promise<void> {
    const { world, flags, place, manifests, view } = this.#options;
    const example = place.isOurs ? [{ name: undefined, objects: flags.bool("cloud") ? CLOUD_EXAMPLE : EXAMPLE }] : [];
    const files = manifests.length > 0 ? manifests : example;
    if (files.length > 0) this.#step(this.#what, false);
    const namespace = flags.string("namespace");
    for (const { name: file, objects } of files) {
      const options = { namespace, withinMs: KIND_WITHIN_MS, file };
      const applied = await applyManifests({ world, client: place.client }, objects, options);
      for (const { resource, key } of applied) view.say(`${"applied".padEnd(14)} ${resource.kind} ${key}`);
      this.#applied.push(...applied);
    }
    this.#isApplied = true;
  }

  get #nodeCount(): number {
    return this.#options.flags.number("nodes");
  }

  get #readyNodes(): number {
    return this.#options.board.tally(NODES_SHOWN).ready;
  }

  get #what(): "example" | "manifests" {
    return this.#options.manifests.length > 0 ? "manifests" : "example";
  }

  #step(name: string, isDone: boolean): void {
    this.#options.board.step(name, isDone);
    this.#options.view.changed();
  }
}
