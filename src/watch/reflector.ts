import { groupResource } from "../api/mod.ts";
import { ReadPosition } from "./read_position.ts";
import { ReflectorMetrics } from "./reflector_metrics.ts";
import type { ReflectorOptions } from "./reflector_options.ts";
import type { ReflectorState } from "./reflector_state.ts";
import { ReflectorSteps } from "./reflector_steps.ts";

/**
 * Keeps a sink up to date with a resource on the API server: lists it, watches it, and recovers from every failure.
 *
 * Contract:
 * 1. The sink gets each list as one replacement, then every event since, in the server's order; what it may miss in
 *    between is made good by the next list.
 * 2. A watch that the server closes is resumed at once from the last resourceVersion, without a list.
 * 3. The last resourceVersion is that of the last list, event or bookmark that the sink has taken; the unordered events
 *    with which a watch from resourceVersion "" or "0" begins do not count.
 * 4. After an error the resource is listed again, at least as new as the last resourceVersion; without one only once
 *    the server has called that expired or too large.
 * 5. Objects of another kind are skipped. A frame that cannot be decoded ends its stream; a list makes good what was
 *    lost.
 * 6. A stream that falls silent is cut and resumed; `stalenessMs` says for how long the server has said nothing. Bytes
 *    that never make an event say nothing.
 * 7. Whatever the server does, requests follow each other at once only a few times; then there is a backoff of 0.8 s,
 *    doubling up to 30 s, each plus up to as much again.
 * 8. A backoff because the server could not be reached ends within a second of another request's success, as long as
 *    requests have not followed each other at once too often.
 * 9. The first error from a server that was out of reach starts the backoff over, with the same limit.
 * 10. Only bookmarks and errors are parsed, never an object.
 * 11. A streaming list of many objects is given up for a LIST that is as new, whose JSON costs the server half as much
 *    and comes compressed. So are later lists of the resource; after a LIST that failed, one is streamed to its end.
 * 12. When `signal` aborts, `run` resolves; no timer, request or listener is left, and the sink is not called any more.
 *
 * {@link ReflectorState} describes all transitions.
 * Upstream: `k8s.io/client-go/tools/cache/reflector.go`.
 *
 * @example
 * ```ts
 * import { PODS } from "kubeloop/api";
 * import { type FrameSink, Reflector } from "kubeloop/watch";
 * import { FakeWorld } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const stop = new AbortController();
 * const never = () => new Promise<ReadableStream<Uint8Array>>(() => {});
 * const list = new Blob(['{"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[]}']);
 * const sink: FrameSink = {
 *   beginReplace: () => ({ events() {}, commit: () => stop.abort(), abort() {} }),
 *   events() {},
 *   bookmark() {},
 * };
 * const listWatch = { list: () => Promise.resolve(list.stream()), watch: never };
 * const reflector = new Reflector({ world: new FakeWorld(), resource: PODS, listWatch, sink, watchList: false });
 * await reflector.run(stop.signal);
 * assertEquals(reflector.state.name, "stopped");
 * ```
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #position = new ReadPosition();
  readonly #metrics: ReflectorMetrics;
  #state: ReflectorState = { name: "idle" };
  #progressMs: number;

  constructor(options: ReflectorOptions) {
    const { world, resource, metrics, name = "kubeloop" } = options;
    this.#options = options;
    this.#progressMs = world.clock.monotonicMs();
    this.#metrics = new ReflectorMetrics({ registry: metrics, name, resource, stalenessMs: () => this.stalenessMs });
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** Where a watch would continue; empty before the first list. */
  get lastResourceVersion(): string {
    return this.#position.resourceVersion;
  }

  /** Milliseconds since the server last sent a whole item, event or bookmark, or began an answer. */
  get stalenessMs(): number {
    return this.#options.world.clock.monotonicMs() - this.#progressMs;
  }

  /**
   * Runs until `signal` aborts. Call it only once.
   *
   * @throws {TypeError} If the reflector was run before.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#state.name !== "idle") {
      const resource = groupResource(this.#options.resource);
      throw new TypeError(`Cannot run the reflector of ${resource} again: it is ${this.#state.name}`);
    }
    const onProgress = () => this.#onProgress();
    onProgress();
    const steps = new ReflectorSteps(this.#options, {
      signal,
      position: this.#position,
      metrics: this.#metrics,
      onProgress,
    });
    this.#metrics.started();
    try {
      this.#enter(steps.first());
      while (!signal.aborted) this.#enter(await steps.next(this.#state));
    } finally {
      this.#enter({ name: "stopped" });
      this.#metrics.stopped();
    }
  }

  /** Closes the previous state's stream, unless the next state uses it. */
  #enter(next: ReflectorState): void {
    const left = this.#state;
    this.#state = next;
    if ("stream" in left && !("stream" in next && next.stream === left.stream)) left.stream.close();
  }

  #onProgress(): void {
    this.#progressMs = this.#options.world.clock.monotonicMs();
  }
}
