import { Backoff, Deferred, sleep, type Timer, type World } from "../../base/mod.ts";
import { SharedFence } from "../../election/mod.ts";
import type { HubConnection, Poster, WatchHub } from "../hub/mod.ts";
import type { Answer, Answers, Question } from "../questions.ts";
import type { GroupCommand, GroupReport, GroupSettings } from "./group_messages.ts";
import { Outbox } from "./outbox.ts";
import { type GroupAccess, mayWatch } from "./group_access.ts";
import { PortServer } from "./port_server.ts";

/** A thread, as far as a group needs one: a `Worker` is one. */
export interface GroupThread extends Poster<readonly GroupCommand[]> {
  onmessage: ((event: MessageEvent<readonly GroupReport[]>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

/** When a group is ended and started anew. Times in milliseconds. */
export interface GroupLimits {
  /** Its event loop has not turned for this long. */
  readonly blockedAfterMs: number;
  /** Its heap has passed this share of what V8 lets it have. */
  readonly heapShare: number;
  /** It stays down after so many failures in a row; one that lasts ten minutes begins a new row. */
  readonly mostFailures: number;
}

/** What a {@link Group} is made of. */
export interface GroupOptions {
  readonly world: World;
  readonly settings: GroupSettings;
  readonly hub: WatchHub;
  readonly access: GroupAccess;
  readonly limits: GroupLimits;
  /** Starts a thread. */
  spawn(): GroupThread;
  /** Takes a line of the group's log. */
  log(line: string): void;
  /** Called for each failure. */
  onFailure(reason: GroupFailure): void;
  /** Called instead if no thread can be started at all. */
  onUnstartable(reason: string): void;
}

/** Why a group was ended: it threw, did not answer, or took too much memory. */
export type GroupFailure = typeof GROUP_FAILURES[number];

export const GROUP_FAILURES = ["broken", "blocked", "heap"] as const;

/** How a group is. */
export type GroupState =
  /** Its thread loads; its caches are being filled; it is ready, or at work; and so on. */
  | { readonly name: "starting" | "filling" | "running" | "stopping" | "ended" }
  | { readonly name: "waiting"; readonly reason: string }
  /** It has failed too often, and nobody starts it again. */
  | { readonly name: "down"; readonly reason: string };

const PING_MS = 1000;
const RESTART = { initialMs: 1000, capMs: 60_000, factor: 2, jitter: 0.2 } as const;
const ROW_MS = 600_000;
/** A request waits for its answer; frames come in their thousands, and can come together. */
const ANSWER_PAUSE_MS = 2;
const FRAME_PAUSE_MS = 10;
/** On a machine that is short of processor time, loading the code takes long. */
const STARTS_WITHIN_MS = 120_000;

/** How long a group may take to answer: the others' answers wait for it. What a controller shows of itself may be large. */
const ANSWERS_WITHIN_MS: Readonly<Record<Question["about"], number>> = { metrics: 1500, journal: 1500, debug: 30_000 };

/** One thread at work. */
interface Life {
  readonly thread: GroupThread;
  readonly outbox: Outbox<GroupCommand>;
  readonly frames: Outbox<GroupCommand>;
  readonly connection: HubConnection;
  readonly server: PortServer;
  /** Closed when the thread is given up: one that sends by itself may run on for two seconds after it was ended. */
  readonly permit: SharedFence;
  /** When the last ping was answered. */
  answeredMs: number;
}

/**
 * A group of controllers in a thread of its own, kept alive.
 *
 * Contract:
 * 1. A thread that throws, blocks, or takes too much memory is ended and started anew, later each time; its caches are filled anew.
 * 2. A group that fails too often in a row stays down.
 * 3. `lead` lets it work, also after a restart.
 * 4. `stop` lets it finish what is under way; `end` ends it at once.
 * 5. Nothing that an ended thread sent is acted on any more, and it sends no request that writes, whatever it is in the middle of.
 * 6. A group whose first thread ends by an error before it has said anything is not started again: its code cannot be loaded.
 */
export class Group {
  readonly #options: GroupOptions;
  readonly #backoff: Backoff;
  readonly #started = new Deferred();
  readonly #ended = new Deferred<boolean>();
  readonly #closed = new AbortController();
  #life: Life | undefined;
  #state: GroupState = { name: "starting" };
  readonly #stopped = new Map<string, string>();
  #isLeading = false;
  #hasSpoken = false;
  #failures = 0;
  #startedMs = 0;
  #timer: Timer | undefined;
  #lastId = 0;
  readonly #asked = new Map<number, (...answers: Answers[keyof Answers][]) => void>();

  constructor(options: GroupOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.world, RESTART);
    this.#start();
  }

  /** Resolves when it has started, or cannot. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  get name(): string {
    return this.#options.settings.name;
  }

  get controllers(): readonly string[] {
    return this.#options.settings.controllers;
  }

  get state(): GroupState {
    return this.#state;
  }

  /** Why controllers of it do not work although it runs, by their names. */
  get stopped(): ReadonlyMap<string, string> {
    return this.#stopped;
  }

  /** How often it was started again. */
  get failures(): number {
    return this.#failures;
  }

  /** Lets the controllers work. */
  lead(): void {
    this.#isLeading = true;
    this.#life?.outbox.postMessage({ what: "lead" });
  }

  /** What the group says to a question: nothing if it is not running, ends before it has answered, or does not answer in time. */
  ask<Q extends Question>(question: Q): Promise<Answer<Q>[]> {
    if (this.#state.name === "starting" || !this.#life) return Promise.resolve([]);
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const late = this.#options.world.clock.setTimer(ANSWERS_WITHIN_MS[question.about], () => {
        this.#asked.delete(id);
        resolve([]);
      });
      this.#asked.set(id, (...answers) => {
        late.cancel();
        resolve(answers as Answer<Q>[]);
      });
      this.#life!.outbox.postMessage({ what: "ask", id, question });
    });
  }

  /** Finishes what is under way; resolves with whether all of it was. */
  stop(): Promise<boolean> {
    if (!this.#life) {
      // It waits or is down: nothing is under way, so that nobody has to wait for the lease.
      this.#ended.resolve(true);
      this.end();
    } else {
      this.#state = { name: "stopping" };
      this.#life.outbox.postMessage({ what: "stop" });
    }
    return this.#ended.promise;
  }

  /** Ends at once, whatever is under way. */
  end(): void {
    this.#closed.abort();
    this.#finish();
    this.#state = { name: "ended" };
    this.#ended.resolve(false);
  }

  #start(): void {
    const { hub, access, settings, spawn, world } = this.#options;
    this.#stopped.clear();
    this.#startedMs = world.clock.monotonicMs();
    const thread = spawn();
    const outbox = new Outbox<GroupCommand>(thread, { clock: world.clock, pauseMs: ANSWER_PAUSE_MS });
    const frames = new Outbox<GroupCommand>(thread, { clock: world.clock, pauseMs: FRAME_PAUSE_MS });
    const life: Life = {
      thread,
      outbox,
      frames,
      connection: hub.connect(settings.name, frames),
      server: new PortServer({ port: outbox, clock: world.clock, access }),
      permit: new SharedFence(),
      answeredMs: this.#startedMs,
    };
    this.#life = life;
    thread.onmessage = ({ data }) => {
      this.#hasSpoken = true;
      for (const report of data) if (this.#life === life) this.#receive(life, report);
    };
    thread.onerror = (event) => {
      // The process would end with an error that nobody handles.
      event.preventDefault();
      if (this.#life !== life) return;
      if (this.#hasSpoken) this.#fail("broken", event.message);
      else this.#giveUp(event.message);
    };
    life.permit.openUntil();
    const directFences = settings.directFences && [...settings.directFences, life.permit.memory];
    outbox.postMessage({ what: "start", settings: { ...settings, directFences } });
    if (this.#isLeading) outbox.postMessage({ what: "lead" });
    this.#watch(life);
  }

  #receive(life: Life, report: GroupReport): void {
    switch (report.what) {
      case "started":
        if (this.#state.name === "starting") this.#state = { name: "filling" };
        this.#started.resolve();
        break;
      case "synced":
        if (this.#state.name === "filling") this.#state = { name: "running" };
        break;
      case "stopped":
        this.#stopped.set(report.controller, report.reason);
        break;
      case "ended":
        this.#finish();
        this.#state = { name: "ended" };
        this.#ended.resolve(report.isClean);
        break;
      case "broken":
        this.#fail("broken", report.message);
        break;
      case "pong": {
        life.answeredMs = this.#options.world.clock.monotonicMs();
        const { heapBytes, heapLimitBytes } = report;
        if (heapBytes <= heapLimitBytes * this.#options.limits.heapShare) break;
        this.#fail("heap", `its heap takes ${heapBytes} of ${heapLimitBytes} bytes`);
        break;
      }
      case "answer":
        this.#asked.get(report.id)?.(report.answer);
        this.#asked.delete(report.id);
        break;
      case "log":
        this.#options.log(report.line);
        break;
      case "query":
      case "cancel":
        life.server.receive(report);
        break;
      default:
        if (report.what === "subscribe" && !mayWatch(report.topic)) {
          this.#fail("broken", `it may not watch ${JSON.stringify(report.topic.resource.plural)}`);
          break;
        }
        life.connection.receive(report);
    }
  }

  /** Asks again and again whether the thread still turns. */
  #watch(life: Life): void {
    const { world: { clock }, limits } = this.#options;
    const dueMs = clock.monotonicMs() + PING_MS;
    this.#timer = clock.setTimer(PING_MS, () => {
      if (this.#life !== life) return;
      const nowMs = clock.monotonicMs();
      // Where this thread itself has not turned, nobody's answer could be taken.
      if (nowMs - dueMs > PING_MS) life.answeredMs = nowMs;
      const silentMs = nowMs - life.answeredMs;
      if (silentMs > (this.#state.name === "starting" ? STARTS_WITHIN_MS : limits.blockedAfterMs)) {
        return this.#fail("blocked", `its event loop has not turned for ${Math.round(silentMs)} ms`);
      }
      life.outbox.postMessage({ what: "ping", id: ++this.#lastId });
      this.#watch(life);
    });
  }

  #giveUp(reason: string): void {
    this.#finish();
    this.#state = { name: "down", reason };
    this.#ended.resolve(true); // of one that is to stop: nothing was under way
    this.#options.onUnstartable(reason);
  }

  #fail(failure: GroupFailure, reason: string): void {
    const { world, settings, limits, onFailure } = this.#options;
    const isStopping = this.#state.name === "stopping";
    const nowMs = world.clock.monotonicMs();
    this.#finish();
    onFailure(failure);
    if (isStopping) {
      world.log.error("Controller group failed while it was stopping", { group: settings.name, reason });
      this.#state = { name: "ended" };
      return this.#ended.resolve(false);
    }
    if (nowMs - this.#startedMs > ROW_MS) {
      this.#failures = 0;
      this.#backoff.reset();
    }
    this.#failures++;
    const { name: group, controllers } = settings;
    if (this.#failures >= limits.mostFailures) {
      this.#state = { name: "down", reason };
      const fields = { group, controllers: controllers.join(","), reason, failures: this.#failures };
      return world.log.error("Controller group has failed too often and stays down", fields);
    }
    const delayMs = this.#backoff.nextMs();
    this.#state = { name: "waiting", reason };
    world.log.error("Controller group failed and is started anew", { group, reason, delayMs: Math.round(delayMs) });
    void sleep(world.clock, delayMs, this.#closed.signal).then((isDue) => {
      if (!isDue) return;
      this.#state = { name: "starting" };
      try {
        this.#start();
      } catch (error) {
        this.#fail("broken", error instanceof Error ? error.message : String(error));
      }
    });
  }

  /** Ends the thread and whatever belongs to it. */
  #finish(): void {
    this.#timer?.cancel();
    this.#started.resolve();
    const life = this.#life;
    this.#life = undefined;
    if (!life) return;
    life.permit.close();
    life.connection.close();
    life.server.close();
    life.outbox.close();
    life.frames.close();
    life.thread.terminate();
    for (const resolve of this.#asked.values()) resolve();
    this.#asked.clear();
  }
}
