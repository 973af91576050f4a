import { assertEquals } from "@std/assert";
import { type Clock, FakeWorld, type Logger, MetricsRegistry, settle } from "../../../../src/base/mod.ts";
import { DEPLOYMENTS, PODS } from "../../../../src/api/mod.ts";
import { isPodReady } from "../../../../src/rules/mod.ts";
import { ReflectorSource } from "../../../../src/cache/mod.ts";
import { Client, WriteRefusedError } from "../../../../src/client/mod.ts";
import type { CloudProvider } from "../../../../src/cloud/mod.ts";
import { type ControllerDescriptor, CONTROLLERS, needsOf } from "../../../../src/controllers/mod.ts";
import { type FenceReading, SharedFence } from "../../../../src/election/mod.ts";
import { serverSettings } from "../../../../src/embedded/mod.ts";
import { GroupRunner } from "../../../../src/manager/groups/group_runner.ts";
import type { GroupCommand, GroupReport, GroupSettings } from "../../../../src/manager/groups/group_messages.ts";
import {
  type GroupAccess,
  type GroupAssignment,
  GroupSet,
  type GroupThread,
} from "../../../../src/manager/groups/mod.ts";
import type { HealthCheck } from "../../../../src/manager/health.ts";
import { WatchHub } from "../../../../src/manager/hub/mod.ts";
import {
  type Component,
  type FileOrigin,
  managerFlags,
  managerOptions,
  OpenSupplies,
} from "../../../../src/manager/mod.ts";
import { type ApiServer, createApiServer, NodeSimulator, Scheduler } from "../../../../src/sandbox/mod.ts";
import { type FrameSink, JsonFrameScanner, type WatchFrame } from "../../../../src/watch/mod.ts";
import { objects } from "../../../../src/testkit/mod.ts";

/** A thread in this thread: messages are cloned and come a turn later, and it can be made to fail. */
export class FakeThread implements GroupThread {
  onmessage: GroupThread["onmessage"] = null;
  onerror: GroupThread["onerror"] = null;
  isBlocked = false;
  #fence: BigInt64Array | undefined;
  isTerminated = false;
  heapBytes = 10;
  /** What it was told to start with. */
  settings: GroupSettings | undefined;
  readonly #runner: GroupRunner;

  constructor(world: FakeWorld, rows: readonly ControllerDescriptor[]) {
    this.#runner = new GroupRunner({
      port: { postMessage: (report, transfer) => this.#deliver(structuredClone(report, { transfer })) },
      clock: world.clock,
      world: (log: Logger) => ({ clock: world.clock, random: world.random, files: world.files, log }),
      heap: () => ({ usedBytes: this.heapBytes, limitBytes: 100 }),
      readFence: (slot) => this.readFence(slot),
      rows,
    });
  }

  /** As the confinement of a real thread gives it. */
  readonly readFence: FenceReading = (slot) => Atomics.load(this.#fence!, slot);

  postMessage(command: readonly GroupCommand[], transfer?: Transferable[]): void {
    const [first] = command;
    if (first.what === "fence") return void (this.#fence = new BigInt64Array(first.memory));
    const message = structuredClone(command, { transfer });
    for (const each of message) if (each.what === "start") this.settings = each.settings;
    queueMicrotask(() => {
      if (!this.isBlocked && !this.isTerminated) this.#runner.receive(message);
    });
  }

  throwError(message: string): void {
    this.onerror?.(new ErrorEvent("error", { message }));
  }

  terminate(): void {
    this.isTerminated = true;
    // A real thread is gone; this one must not leave its timers behind.
    this.#runner.receive([{ what: "stop" }]);
  }

  #deliver(data: readonly GroupReport[]): void {
    queueMicrotask(() => {
      if (!this.isBlocked && !this.isTerminated) this.onmessage?.(new MessageEvent("message", { data }));
    });
  }
}

/** How a {@link GroupRig} differs. */
export interface GroupRigOptions {
  readonly mostFailures?: number;
  readonly assignments?: readonly GroupAssignment[];
  readonly flags?: readonly string[];
  readonly direct?: GroupAccess["direct"];
  /** Open for as long as the process may write. */
  readonly fence?: SharedFence;
  /** Besides those of the registry. */
  readonly rows?: readonly ControllerDescriptor[];
  /** Where the files are that flags name. */
  readonly file?: (flag: string) => FileOrigin;
  /** Whose flags there are; kube-controller-manager's by default. */
  readonly component?: Component;
  /** What the process asks for what rows declare. */
  readonly cloud?: CloudProvider;
  /** What the files hold. */
  readonly files?: Readonly<Record<string, string>>;
}

const TWO_GROUPS: readonly GroupAssignment[] = [
  { name: "a", controllers: ["deployment-controller"] },
  { name: "b", controllers: ["replicaset-controller", "serviceaccount-controller"] },
];

/** A cluster whose Deployments and ReplicaSets are looked after by two groups. */
export class GroupRig implements AsyncDisposable {
  readonly world = new FakeWorld();
  readonly server: ApiServer;
  readonly metrics = new MetricsRegistry();
  readonly threads = new Map<string, FakeThread[]>();
  readonly lines: string[] = [];
  readonly client: Client;
  readonly groups: GroupSet;
  readonly supplies: OpenSupplies;
  /** What groups have written, each with its client. */
  readonly writes: string[] = [];
  mayWrite = true;
  /** The hub gets this object in a form that nobody can read. */
  brokenObject: string | undefined;
  /** Groups do not reach the API server. */
  isAway = false;
  /** With what the API server answers groups instead, if it does. */
  refusal: number | undefined;
  /** Of the controllers that are built. */
  readonly controllerChecks: HealthCheck[] = [];
  /** What groups ask the API server is never answered. */
  isSilent = false;
  /** Why no thread can be started, if none can. */
  spawnFailure: Error | undefined;
  /** For how long the main thread has not turned: its timers come late by this. */
  stalledMs = 0;
  readonly #hub: WatchHub;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;

  constructor({ mostFailures = 3, assignments = TWO_GROUPS, flags = [], ...parts }: GroupRigOptions = {}) {
    const { world, metrics } = this;
    this.server = createApiServer({ world, ...serverSettings(parts.component ? [] : flags) });
    this.client = this.clientOf("test");
    const watching = this.clientOf("hub");
    this.#hub = new WatchHub({
      world,
      metrics,
      source: (topic) => {
        const source = new ReflectorSource({ world, client: watching, ...topic });
        return { run: (sink, options) => source.run(this.#breaking(sink), options) };
      },
    });
    for (const [path, text] of Object.entries(parts.files ?? {})) world.fileContents.set(path, text);
    const rows = [...CONTROLLERS, ...parts.rows ?? []];
    this.supplies = new OpenSupplies(world, needsOf(rows), parts.file);
    const { controllerOptions } = managerOptions(managerFlags(flags, parts.component));
    const clock: Clock = {
      monotonicMs: () => world.clock.monotonicMs() + this.stalledMs,
      wallMs: () => world.clock.wallMs(),
      setTimer: (delayMs, fn) => world.clock.setTimer(delayMs, fn),
      nextTurn: () => world.clock.nextTurn(),
    };
    this.groups = new GroupSet({
      world: { clock, random: world.random, files: world.files, log: world.log },
      metrics,
      hub: this.#hub,
      access: {
        transport: (client) => (request) => {
          if (request.method !== "GET") {
            this.writes.push(`${client} ${request.method} ${new URL(request.url).pathname}`);
          }
          if (this.isAway) return Promise.reject(new Deno.errors.ConnectionRefused("nobody listens"));
          if (this.isSilent) return new Promise(() => {});
          if (this.refusal !== undefined) return Promise.resolve(new Response("no", { status: this.refusal }));
          if (request.method !== "GET" && !this.mayWrite) throw new WriteRefusedError(request);
          return this.server.fetch(request);
        },
        direct: parts.direct,
      },
      assignments,
      rows,
      supplies: {
        files: this.supplies.files,
        signer: this.supplies.signer,
        folders: this.supplies.folders,
        drivers: this.supplies.drivers,
        cloud: parts.cloud,
      },
      fence: parts.fence ?? new SharedFence(),
      settings: {
        controllerOptions: controllerOptions,
        server: "http://127.0.0.1",
        sendsDirectly: parts.direct !== undefined,
        qps: -1,
        burst: 0,
        minResyncPeriodMs: 3_600_000,
        startIntervalMs: 0,
        shutdownTimeoutMs: 10_000,
        logFormat: "text",
        verbosity: 1,
        vmodule: "",
        pid: 7,
      },
      limits: { blockedAfterMs: 5000, heapShare: 0.5, mostFailures },
      spawn: (name) => {
        if (this.spawnFailure) throw this.spawnFailure;
        const thread = new FakeThread(world, rows);
        this.threads.set(name, [...this.threads.get(name) ?? [], thread]);
        return thread;
      },
      log: (line) => this.lines.push(line),
      onBuilt: (checks) => this.controllerChecks.push(...checks),
    });
    const nodes = new NodeSimulator({ world, client: this.clientOf("kubelet"), nodeCount: 1 });
    const scheduler = new Scheduler({ world, client: this.clientOf("scheduler") });
    this.#running = Promise.all([nodes.run(this.#stop.signal), scheduler.run(this.#stop.signal)]);
  }

  clientOf(userAgent: string): Client {
    return new Client({
      world: this.world,
      transport: (request) => this.server.fetch(request),
      server: "http://127.0.0.1",
      userAgent,
    });
  }

  /** A sink for `sink` that makes an object unreadable on its way. */
  #breaking(sink: FrameSink): FrameSink {
    const change = (frames: readonly WatchFrame[]) => frames.map((frame) => this.#broken(frame));
    return {
      beginReplace: () => {
        const replacement = sink.beginReplace();
        return {
          events: (frames) => replacement.events(change(frames)),
          commit: (resourceVersion) => replacement.commit(resourceVersion),
          abort: () => replacement.abort(),
        };
      },
      events: (frames) => sink.events(change(frames)),
      bookmark: (resourceVersion) => sink.bookmark(resourceVersion),
    };
  }

  #broken(frame: WatchFrame): WatchFrame {
    const text = new TextDecoder().decode(frame.bytes);
    const name = `"metadata":{"name":"${this.brokenObject}"`;
    if (!text.includes(name)) return frame;
    const frames: WatchFrame[] = [];
    const changed = text.replace(name, `${name},"ownerReferences":{}`);
    new JsonFrameScanner({ resource: "broken" }).push(new TextEncoder().encode(changed), frames);
    return frames[0];
  }

  thread(name: string): FakeThread {
    return this.threads.get(name)!.at(-1)!;
  }

  async readyPods(): Promise<number> {
    const { items } = await this.client.list(PODS, { namespace: "default" });
    return items.filter((pod) => isPodReady(pod)).length;
  }

  create(name: string, replicas: number): Promise<unknown> {
    const { template } = objects.deployment(name).spec!;
    const automountServiceAccountToken = false;
    return this.client.create(DEPLOYMENTS, {
      ...objects.deployment(name, { metadata: { namespace: "default" }, replicas }, {
        template: { ...template, spec: { ...template!.spec!, automountServiceAccountToken } },
      }),
    });
  }

  failures(): readonly string[] {
    return this.groups.checks(false).flatMap(({ name, isNotReady }) => {
      const why = isNotReady?.();
      return why === undefined ? [] : [`${name}: ${why}`];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.groups.end();
    this.#stop.abort();
    const ended = Promise.all([this.#running, this.#hub.shutDown()]);
    for (let i = 0; i < 60; i++) await this.world.clock.advance(250);
    await ended;
    // A request of a build for which nobody waits any more ends by its own deadline.
    await this.world.clock.advance(90_000);
    this.server.close();
    await settle();
    assertEquals(this.world.clock.pendingTimers, 0);
  }
}
