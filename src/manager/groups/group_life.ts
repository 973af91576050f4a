import { type Clock, errorText, type Timer } from "../../base/mod.ts";
import { describe } from "../../cloud/mod.ts";
import type { ControllerNeeds, Supplies } from "../../controllers/mod.ts";
import type { LentFence, SharedFence } from "../../election/mod.ts";
import type { HubConnection, Poster, WatchHub } from "../hub/mod.ts";
import type { Answer, Question } from "../questions.ts";
import { contentsOf } from "../supplies/mod.ts";
import { type GroupAccess, mayWatch } from "./group_access.ts";
import type { GroupCommand, GroupNews, GroupReport, GroupSettings } from "./group_messages.ts";
import { OpenQuestions } from "./open_questions.ts";
import { Outbox } from "./outbox.ts";
import { PortServer } from "./port_server.ts";

/** The part of a `Worker` that a group uses. */
export interface GroupThread extends Poster<readonly GroupCommand[]> {
  onmessage: ((event: MessageEvent<readonly GroupReport[]>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

/** When a thread counts as failed. */
export interface LifeLimits {
  /** Its event loop was blocked for this long, in milliseconds. */
  readonly blockedAfterMs: number;
  /** Its heap exceeds this share of V8's limit. */
  readonly heapShare: number;
}

/** Why a thread was terminated: it threw, did not answer, or used too much memory. */
export type GroupFailure = typeof GROUP_FAILURES[number];

export const GROUP_FAILURES = ["broken", "blocked", "heap"] as const;

/** Options of {@link GroupLife}. */
export interface GroupLifeOptions {
  readonly clock: Clock;
  readonly settings: Omit<GroupSettings, "files" | "cloud">;
  /** The needs that its controllers' rows declare. */
  readonly needs: Required<ControllerNeeds>;
  /** Supplies for these needs, and nothing else. */
  readonly supplies: Supplies;
  /** Whether an earlier thread had been at work. */
  readonly isRestart: boolean;
  readonly hub: WatchHub;
  readonly access: GroupAccess;
  /** Open while this process may write. */
  readonly fence: SharedFence;
  readonly limits: LifeLimits;
  /** Starts a thread. */
  spawn(): GroupThread;
  /** Called with the thread's reports about its state. */
  onNews(news: GroupNews): void;
  /** Called when the thread must be terminated. */
  onFailure(failure: GroupFailure, reason: string): void;
  /** Called when the thread ended with an error. */
  onError(message: string): void;
}

const PING_MS = 1000;
/** Requests wait for answers, so the pause is short; frames come in thousands and can be batched. */
const ANSWER_PAUSE_MS = 2;
const FRAME_PAUSE_MS = 10;
/** On a machine short of CPU time, loading the code takes long. */
const STARTS_WITHIN_MS = 120_000;

/**
 * One thread of a group: its inputs, and whether it still responds.
 *
 * Contract:
 * 1. A thread has failed if it blocks, takes too much memory, asks for something forbidden or sends a malformed
 *    message.
 * 2. After `close` nothing that the thread sent is acted on, and it sends no request that writes, whatever it is in the
 *    middle of.
 */
export class GroupLife {
  readonly #options: GroupLifeOptions;
  readonly #thread: GroupThread;
  readonly #outbox: Outbox<GroupCommand>;
  readonly #frames: Outbox<GroupCommand>;
  readonly #connection: HubConnection;
  readonly #server: PortServer;
  readonly #questions: OpenQuestions;
  readonly #changes: readonly Disposable[];
  /** Closed when the thread is given up: a thread that sends directly may run on for two seconds after termination. */
  readonly #fence: LentFence;
  #timer: Timer | undefined;
  /** When the last ping was answered. */
  #answeredMs: number;
  #lastPing = 0;
  #isLoading = true;
  #wasHeard = false;
  #setAside: readonly string[] = [];
  #heapBytes = 0;
  #isClosed = false;

  /** @throws {Error} If the thread cannot be started. */
  constructor(options: GroupLifeOptions) {
    const { clock, isRestart, hub, access, needs, supplies, fence, spawn } = options;
    const { files, cloud } = supplies;
    const settings: GroupSettings = {
      ...options.settings,
      files: contentsOf(files, needs.files),
      cloud: cloud && describe(cloud),
    };
    this.#options = options;
    this.#answeredMs = clock.monotonicMs();
    this.#thread = spawn();
    this.#outbox = new Outbox(this.#thread, { clock, pauseMs: ANSWER_PAUSE_MS });
    this.#frames = new Outbox(this.#thread, { clock, pauseMs: FRAME_PAUSE_MS });
    this.#connection = hub.connect(settings.name, this.#frames);
    this.#server = new PortServer({ port: this.#outbox, clock, access, ...supplies });
    this.#questions = new OpenQuestions(clock);
    this.#thread.onmessage = ({ data }) => this.#receive(data);
    this.#thread.onerror = (event) => {
      // Otherwise the unhandled error would end the process.
      event.preventDefault();
      if (!this.#isClosed) options.onError(event.message);
    };
    this.#fence = fence.lend();
    // Not through the outbox: it must be sent alone.
    this.#thread.postMessage([{ what: "fence", memory: this.#fence.memory }]);
    this.#outbox.postMessage({ what: "start", settings, isRestart });
    this.#changes = needs.files.map((flag) =>
      files.onChange(flag, (text) => this.#outbox.postMessage({ what: "file", flag, text }))
    );
    this.#watch();
  }

  /** Whether the thread ever sent a message. */
  get wasHeard(): boolean {
    return this.#wasHeard;
  }

  /** How much its heap took at the last ping, in bytes. */
  get heapBytes(): number {
    return this.#heapBytes;
  }

  /** A line for each object that its informers cannot read, as of the last ping. */
  get setAside(): readonly string[] {
    return this.#setAside;
  }

  /** Unanswered questions to the thread, and its own that are being answered. */
  get open(): { readonly questions: number; readonly queries: number } {
    return { questions: this.#questions.count, queries: this.#server.running };
  }

  /** Starts the controllers' work. */
  lead(): void {
    this.#outbox.postMessage({ what: "lead" });
  }

  /** Sets the thread's log verbosity. */
  setVerbosity(verbosity: number): void {
    this.#outbox.postMessage({ what: "verbosity", verbosity });
  }

  /** Asks the thread to finish work in progress and end. */
  stop(): void {
    this.#isLoading = false;
    this.#outbox.postMessage({ what: "stop" });
  }

  /** Asks the thread a question. Resolves to `undefined` if it ends before it answers, or does not answer in time. */
  ask<Q extends Question>(question: Q): Promise<Answer<Q>[]> {
    return this.#questions.ask(question, (id) => this.#outbox.postMessage({ what: "ask", id, question }));
  }

  /** Terminates the thread and everything that belongs to it. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const each of this.#changes) each[Symbol.dispose]();
    this.#fence.takeBack();
    this.#connection.close();
    this.#server.close();
    this.#outbox.close();
    this.#frames.close();
    this.#thread.terminate();
    this.#questions.close();
  }

  #receive(reports: readonly GroupReport[]): void {
    this.#wasHeard = true;
    try {
      for (const report of reports) if (!this.#isClosed) this.#take(report);
    } catch (error) {
      if (!this.#isClosed) this.#fail("broken", `what it said cannot be understood: ${errorText(error)}`);
    }
  }

  #take(report: GroupReport): void {
    switch (report.what) {
      case "pong":
        this.#setAside = report.setAside;
        return this.#takePong(report.heapBytes, report.heapLimitBytes);
      case "answer":
        return this.#questions.answer(report.id, report.answer);
      case "query":
      case "cancel":
        return this.#server.receive(report);
      case "subscribe":
        if (mayWatch(report.topic, this.#options.needs)) return this.#connection.receive(report);
        return this.#fail("broken", `it may not watch ${JSON.stringify(report.topic.resource.plural)}`);
      case "unsubscribe":
      case "done":
      case "again":
        return this.#connection.receive(report);
      default:
        if (report.what === "started") this.#isLoading = false;
        this.#options.onNews(report);
    }
  }

  #takePong(heapBytes: number, heapLimitBytes: number): void {
    this.#answeredMs = this.#options.clock.monotonicMs();
    this.#heapBytes = heapBytes;
    if (heapBytes <= heapLimitBytes * this.#options.limits.heapShare) return;
    this.#fail("heap", `its heap takes ${heapBytes} of ${heapLimitBytes} bytes`);
  }

  /** Pings the thread to see whether it still responds. */
  #watch(): void {
    const { clock, limits } = this.#options;
    const dueMs = clock.monotonicMs() + PING_MS;
    this.#timer = clock.setTimer(PING_MS, () => {
      const nowMs = clock.monotonicMs();
      // If this thread itself was blocked, it could not receive any answer.
      if (nowMs - dueMs > PING_MS) this.#answeredMs = nowMs;
      const silentMs = nowMs - this.#answeredMs;
      if (silentMs > (this.#isLoading ? STARTS_WITHIN_MS : limits.blockedAfterMs)) {
        return this.#fail("blocked", `its event loop has not turned for ${Math.round(silentMs)} ms`);
      }
      this.#outbox.postMessage({ what: "ping", id: ++this.#lastPing });
      this.#watch();
    });
  }

  #fail(failure: GroupFailure, reason: string): void {
    this.#options.onFailure(failure, reason);
  }
}
