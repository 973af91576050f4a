import { PODS } from "../../../src/api/mod.ts";
import { FakeWorld } from "../../../src/base/mod.ts";
import { ConnectionError, StatusError } from "../../../src/client/mod.ts";
import {
  type FrameSink,
  type ListQuery,
  type ListWatch,
  Reflector,
  type ReflectorOptions,
  type Replacement,
  type WatchFrame,
  type WatchQuery,
} from "../../../src/watch/mod.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The body of an answer, into which a test pushes bytes. */
export class Body {
  readonly stream: ReadableStream<Uint8Array>;
  isCancelled = false;
  #controller!: ReadableStreamDefaultController<Uint8Array>;

  constructor(...parts: string[]) {
    this.stream = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#controller = controller),
      cancel: () => void (this.isCancelled = true),
    });
    this.push(...parts);
  }

  /** Like the other two, does nothing once the reader has gone. */
  push(...parts: string[]): this {
    for (const part of this.isCancelled ? [] : parts) this.#controller.enqueue(encoder.encode(part));
    return this;
  }

  close(): this {
    if (!this.isCancelled) this.#controller.close();
    return this;
  }

  fail(error: unknown): this {
    if (!this.isCancelled) this.#controller.error(error);
    return this;
  }
}

/** What the server does with a request: answers, refuses, or never says anything. */
export type Answer = Body | Error | "nothing";

export interface FakeRequest {
  readonly verb: "list" | "watch";
  readonly query: ListQuery & Partial<WatchQuery>;
  readonly signal: AbortSignal;
  readonly atMs: number;
}

/** A ListWatch that answers by script, and notes what it was asked. Once the script is over, nothing is answered. */
export class FakeServer implements ListWatch {
  readonly requests: FakeRequest[] = [];
  readonly #world: FakeWorld;
  readonly #script: Answer[] = [];
  /** Makes up an answer when the script is over. */
  otherwise: (request: FakeRequest) => Answer = () => "nothing";

  constructor(world: FakeWorld) {
    this.#world = world;
  }

  answer(...answers: Answer[]): this {
    this.#script.push(...answers);
    return this;
  }

  list(query: ListQuery, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return this.#ask({ verb: "list", query, signal, atMs: this.#world.clock.monotonicMs() });
  }

  watch(query: WatchQuery, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return this.#ask({ verb: "watch", query, signal, atMs: this.#world.clock.monotonicMs() });
  }

  /** The requests so far in short: `watchList rv=5`, `list limit=500 rv=0`, `watch rv=9`. */
  get asked(): string[] {
    return this.requests.map(({ verb, query }) => {
      const { limit, resourceVersion, sendInitialEvents } = query;
      const parts = [sendInitialEvents ? "watchList" : verb];
      if (limit !== undefined) parts.push(`limit=${limit}`);
      if (query.continue !== undefined) parts.push(`continue=${query.continue}`);
      if (resourceVersion !== undefined) parts.push(`rv=${resourceVersion}`);
      return parts.join(" ");
    });
  }

  #ask(request: FakeRequest): Promise<ReadableStream<Uint8Array>> {
    this.requests.push(request);
    const answer = this.#script.shift() ?? this.otherwise(request);
    if (answer === "nothing") return new Promise(() => {});
    return answer instanceof Body ? Promise.resolve(answer.stream) : Promise.reject(answer);
  }
}

export interface FakeObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

/** A sink that is a map from name to resourceVersion, and notes what happens to it. */
export class FakeSink implements FrameSink {
  content = new Map<string, string>();
  readonly calls: string[] = [];
  /** Replacements that were begun and neither committed nor aborted. */
  openReplacements = 0;
  /** Called before a batch is applied; may throw or return a promise. */
  before: (frames: readonly WatchFrame[]) => void | Promise<void> = () => {};

  beginReplace(): Replacement {
    const content = new Map<string, string>();
    this.openReplacements++;
    return {
      events: (frames) => this.#apply(content, frames),
      commit: (resourceVersion) => {
        this.content = content;
        this.openReplacements--;
        this.calls.push(`replace [${[...content.keys()]}] at ${resourceVersion}`);
      },
      abort: () => void this.openReplacements--,
    };
  }

  async events(frames: readonly WatchFrame[]): Promise<void> {
    await this.#apply(this.content, frames);
    for (const frame of frames) this.calls.push(`${frame.type} ${frame.resourceVersion}`);
  }

  bookmark(resourceVersion: string): void {
    this.calls.push(`bookmark ${resourceVersion}`);
  }

  async #apply(content: Map<string, string>, frames: readonly WatchFrame[]): Promise<void> {
    await this.before(frames);
    for (const { bytes, objectStart, objectEnd, type } of frames) {
      const { metadata }: FakeObject = JSON.parse(decoder.decode(bytes.subarray(objectStart, objectEnd)));
      if (type === "DELETED") content.delete(metadata.name);
      else content.set(metadata.name, metadata.resourceVersion);
    }
  }
}

export const POD_TYPE = { kind: "Pod", apiVersion: "v1" };

export function event(type: string, name: string, resourceVersion: string | number, kind: object = POD_TYPE): string {
  return JSON.stringify({ type, object: { ...kind, metadata: { name, resourceVersion: String(resourceVersion) } } }) +
    "\n";
}

export function bookmark(resourceVersion: string | number, initialEventsEnd?: string): string {
  const annotations = initialEventsEnd === undefined ? undefined : { "k8s.io/initial-events-end": initialEventsEnd };
  const metadata = { resourceVersion: String(resourceVersion), annotations, creationTimestamp: null };
  return JSON.stringify({ type: "BOOKMARK", object: { ...POD_TYPE, metadata, spec: { containers: null } } }) + "\n";
}

export function errorEvent(code: number, reason: string): string {
  const object = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    code,
    reason,
    message: `it is ${reason}`,
  };
  return JSON.stringify({ type: "ERROR", object }) + "\n";
}

export function list(resourceVersion: string | number, names: readonly string[] = [], token?: string): Body {
  const items = names.map((name, i) => ({ metadata: { name, resourceVersion: String(i + 1) } }));
  const metadata = { resourceVersion: String(resourceVersion), continue: token };
  return new Body(JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata, items })).close();
}

export function status(code: number, reason: string, options: { message?: string; cause?: string } = {}): StatusError {
  const details = options.cause ? { causes: [{ reason: options.cause }] } : undefined;
  return new StatusError({ status: "Failure", code, reason, message: options.message ?? `it is ${reason}`, details });
}

export const refused = (): Error => new ConnectionError("refused", "connection refused");

/** A reflector of pods on a scripted server, running until it is disposed of. */
export class Bench implements AsyncDisposable {
  readonly world: FakeWorld;
  readonly server: FakeServer;
  readonly sink = new FakeSink();
  readonly reflector: Reflector;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor(options: Partial<ReflectorOptions> = {}, ...script: Answer[]) {
    this.world = (options.world as FakeWorld | undefined) ?? new FakeWorld();
    this.server = new FakeServer(this.world).answer(...script);
    this.reflector = new Reflector({
      world: this.world,
      resource: PODS,
      listWatch: this.server,
      sink: this.sink,
      ...options,
    });
    this.#done = this.reflector.run(this.#stop.signal);
  }

  /** Lets `ms` of time pass; without it, everything that is ready runs. */
  pass(ms = 0): Promise<void> {
    return this.world.clock.advance(ms);
  }

  /** How long after the request before it each request came, in milliseconds. */
  get gaps(): number[] {
    const times = this.server.requests.map((request) => request.atMs);
    return times.slice(1).map((time, i) => time - times[i]);
  }

  logged(message: string): number {
    return this.world.log.lines.filter((line) => line.message.includes(message)).length;
  }

  /** Stops the reflector and makes sure that it has left nothing behind. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
    const left = this.world.clock.pendingTimers;
    if (left > 0) throw new Error(`The reflector has left ${left} timers behind`);
    const { openReplacements } = this.sink;
    if (openReplacements !== 0) throw new Error(`The reflector has left ${openReplacements} replacements open`);
  }
}
