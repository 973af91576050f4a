import { type KubeObject, type Pod, PODS, type Resource } from "../../../src/api/mod.ts";
import { FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import {
  type DeletedFinalStateUnknown,
  type EventHandler,
  finalStateOf,
  type FrameSource,
  SharedInformer,
  type SharedInformerOptions,
} from "../../../src/cache/mod.ts";
import { type FrameSink, JsonFrameScanner, type WatchFrame } from "../../../src/watch/mod.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** A pod of namespace `ns`; its resource version says which state it is. */
export function pod(name: string, resourceVersion: string | number = 1, rest: Partial<Pod["metadata"]> = {}): Pod {
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: { namespace: "ns", name, uid: `uid-${name}`, resourceVersion: String(resourceVersion), ...rest },
  };
}

/** The frames of a watch that sends these texts. */
export function frames(...texts: readonly string[]): WatchFrame[] {
  const found: WatchFrame[] = [];
  new JsonFrameScanner({ resource: "pods" }).push(new TextEncoder().encode(texts.join("\n")), found);
  return found;
}

export function event(type: EventType, object: KubeObject): WatchFrame {
  return frames(JSON.stringify({ type, object }))[0];
}

/** The frame of a LIST item; `text` may leave out kind and apiVersion, as LISTs do. */
export function item(object: KubeObject | string): WatchFrame {
  const bytes = new TextEncoder().encode(typeof object === "string" ? object : JSON.stringify(object));
  const kind = typeof object === "string" ? "" : object.kind ?? "";
  const apiVersion = typeof object === "string" ? "" : object.apiVersion ?? "";
  const range = { objectStart: 0, objectEnd: bytes.length, metadataStart: 0, metadataEnd: 0, cutStart: 0, cutEnd: 0 };
  return { bytes, type: "", resourceVersion: "", kind, apiVersion, ...range };
}

/** A source driven by the test instead of an API server. */
export class ManualSource implements FrameSource {
  sink!: FrameSink;
  signal!: AbortSignal;

  run(sink: FrameSink, signal: AbortSignal): Promise<void> {
    this.sink = sink;
    this.signal = signal;
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  }

  async list(objects: readonly KubeObject[], resourceVersion: string | number): Promise<void> {
    const replacement = this.sink.beginReplace();
    await replacement.events(objects.map(item));
    await replacement.commit(String(resourceVersion));
  }

  async events(...events: readonly (readonly [EventType, KubeObject])[]): Promise<void> {
    await this.sink.events(events.map(([type, object]) => event(type, object)));
  }
}

/** A running informer in a fake world. */
export interface Rig<T extends KubeObject> extends AsyncDisposable {
  readonly world: FakeWorld;
  readonly source: ManualSource;
  readonly informer: SharedInformer<T>;
  readonly metrics: MetricsRegistry;
  /** Lets everything ready run. */
  settle(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export function rig(options: Partial<SharedInformerOptions<Pod>> = {}): Rig<Pod> {
  return rigOf(PODS, options);
}

export function rigOf<T extends KubeObject>(
  resource: Resource<T>,
  options: Partial<SharedInformerOptions<T>> = {},
): Rig<T> {
  const world = new FakeWorld();
  const source = new ManualSource();
  const metrics = new MetricsRegistry();
  const informer = new SharedInformer<T>({ world, resource, source, metrics, ...options });
  const abort = new AbortController();
  let running: Promise<void> | undefined;
  const stop = async () => {
    abort.abort();
    await running;
  };
  return {
    world,
    source,
    informer,
    metrics,
    settle: () => world.clock.advance(0),
    start: () => void (running ??= informer.run(abort.signal)),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Writes down what it is told: `add a@1`, with `*` for the initial list; `update a@1>2`, `delete a@2`, `tombstone a@1`. */
export class Journal implements EventHandler<KubeObject> {
  readonly lines: string[] = [];
  /** The objects as the notifications say. */
  readonly view = new Map<string, string>();

  onAdd(object: KubeObject, isInInitialList: boolean): void {
    this.lines.push(`add ${show(object)}${isInInitialList ? "*" : ""}`);
    this.view.set(nameOf(object), versionOf(object));
  }

  onUpdate(oldObject: KubeObject, newObject: KubeObject): void {
    this.lines.push(`update ${show(oldObject)}>${versionOf(newObject)}`);
    this.view.set(nameOf(newObject), versionOf(newObject));
  }

  onDelete(object: KubeObject | DeletedFinalStateUnknown<KubeObject>): void {
    const state = finalStateOf(object)!;
    this.lines.push(`${state === object ? "delete" : "tombstone"} ${show(state)}`);
    this.view.delete(nameOf(state));
  }

  /** What was written since the last call. */
  take(): string[] {
    return this.lines.splice(0);
  }
}

function nameOf(object: KubeObject): string {
  return object.metadata!.name!;
}

function versionOf(object: KubeObject): string {
  return object.metadata!.resourceVersion!;
}

function show(object: KubeObject): string {
  return `${nameOf(object)}@${versionOf(object)}`;
}

/** Names with versions of what a store holds, sorted. */
export function contentOf(objects: readonly KubeObject[]): string[] {
  return objects.map(show).sort();
}
