import { Backoff, Deferred, errorText, sleep, type World } from "../../base/mod.ts";
import type { ControllerNeeds, Supplies } from "../../controllers/mod.ts";
import type { SharedFence } from "../../election/mod.ts";
import type { WatchHub } from "../hub/mod.ts";
import type { Answer, Question } from "../questions.ts";
import type { GroupAccess } from "./group_access.ts";
import { type GroupFailure, GroupLife, type GroupThread, type LifeLimits } from "./group_life.ts";
import type { GroupNews, GroupSettings } from "./group_messages.ts";

/** When a group is terminated and restarted. */
export interface GroupLimits extends LifeLimits {
  /** After this many failures in a row it stays down; running for ten minutes resets the count. */
  readonly mostFailures: number;
}

/** Options of {@link Group}. */
export interface GroupOptions {
  readonly world: World;
  readonly settings: Omit<GroupSettings, "files" | "cloud">;
  readonly hub: WatchHub;
  readonly access: GroupAccess;
  /** The needs that its controllers' rows declare. */
  readonly needs: Required<ControllerNeeds>;
  /** Supplies for these needs, and nothing else. */
  readonly supplies: Supplies;
  readonly fence: SharedFence;
  readonly limits: GroupLimits;
  /** Starts a thread. */
  spawn(): GroupThread;
  /** Writes a line of the group's log. */
  log(line: string): void;
  /** Called when controllers are built for the first time. */
  onBuilt(controllers: readonly string[]): void;
  /** Called for each failure. */
  onFailure(reason: GroupFailure): void;
  /** Called once, when it will stay down. */
  onDown(down: GroupDown): void;
}

/** Why a group is down. */
export interface GroupDown {
  /** It failed too often; its code could not be loaded; or it never could build its controllers and must lead. */
  readonly why: "failures" | "unstartable" | "unbuildable";
  readonly reason: string;
}

/** A group's state. */
export type GroupState =
  /** Loading, filling its caches, running, and so on. */
  | { readonly name: "starting" | "filling" | "running" | "stopping" | "ended" }
  | { readonly name: "waiting"; readonly reason: string }
  /** It failed too often and is not restarted. */
  | { readonly name: "down"; readonly reason: string };

const RESTART = { initialMs: 1000, capMs: 60_000, factor: 2, jitter: 0.2 } as const;
const ROW_MS = 600_000;

/**
 * Keeps a group of controllers alive in its own thread.
 *
 * Contract:
 * 1. A thread that throws, blocks, or takes too much memory is ended and started anew, later each time; its caches are
 *    filled anew.
 * 2. A group that fails too often in a row stays down.
 * 3. `lead` lets it work, also after a restart.
 * 4. `stop` lets it finish what is under way; `end` ends it at once.
 * 5. A group whose first thread ends by an error before it has said anything is not started again: its code cannot be
 *    loaded. Nor is one that leads and cannot build its controllers, and never could.
 * 6. `setVerbosity` says how much is logged, also after a restart.
 */
export class Group {
  readonly #options: GroupOptions;
  readonly #backoff: Backoff;
  readonly #started = new Deferred();
  readonly #ended = new Deferred<boolean>();
  readonly #closed = new AbortController();
  #life: GroupLife | undefined;
  #state: GroupState = { name: "starting" };
  readonly #stopped = new Map<string, string>();
  readonly #built = new Set<string>();
  #isLeading = false;
  #wasHeard = false;
  #wasBuilt = false;
  #verbosity: number;
  #failures = 0;
  #startedMs = 0;

  constructor(options: GroupOptions) {
    this.#options = options;
    this.#verbosity = options.settings.verbosity;
    this.#backoff = new Backoff(options.world, RESTART);
    this.#start();
  }

  /** Resolves when it has started or failed to. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  get name(): string {
    return this.#options.settings.name;
  }

  get state(): GroupState {
    return this.#state;
  }

  /** Why some of its controllers are stopped although it runs, by name. */
  get stopped(): ReadonlyMap<string, string> {
    return this.#stopped;
  }

  /** How often it was restarted. */
  get failures(): number {
    return this.#failures;
  }

  /** Unanswered questions to its thread, and questions of the thread that are being answered. */
  get open(): GroupLife["open"] {
    return this.#life?.open ?? { questions: 0, queries: 0 };
  }

  /** Starts the controllers' work. */
  lead(): void {
    this.#isLeading = true;
    this.#life?.lead();
  }

  /** Sets its log verbosity. */
  setVerbosity(verbosity: number): void {
    this.#verbosity = verbosity;
    this.#life?.setVerbosity(verbosity);
  }

  /** The size of its thread's heap, in bytes; 0 if there is no thread, or it is finishing its work. */
  get heapBytes(): number {
    return this.#state.name === "stopping" ? 0 : this.#life?.heapBytes ?? 0;
  }

  /** Replaces its thread by a new one, to free memory. */
  relieve(reason: string): void {
    this.#fail("heap", reason);
  }

  /** A line for each object that its informers cannot read. */
  get setAside(): readonly string[] {
    return this.#life?.setAside ?? [];
  }

  /**
   * Asks the group a question. Resolves to `undefined` if it is not running, ends before it answers, or does not answer
   * in time.
   */
  ask<Q extends Question>(question: Q): Promise<Answer<Q>[]> {
    if (this.#state.name === "starting" || !this.#life) return Promise.resolve([]);
    return this.#life.ask(question);
  }

  /** Finishes work in progress; resolves to whether all of it finished. */
  stop(): Promise<boolean> {
    if (!this.#life) {
      // It is waiting or down: nothing is in progress, so the lease need not be kept.
      this.#ended.resolve(true);
      this.end();
    } else {
      this.#state = { name: "stopping" };
      this.#life.stop();
    }
    return this.#ended.promise;
  }

  /** Ends at once, even with work in progress. */
  end(): void {
    this.#closed.abort();
    this.#finish();
    this.#state = { name: "ended" };
    this.#ended.resolve(false);
  }

  #start(): void {
    const { world: { clock }, settings, hub, access, needs, supplies, fence, limits, spawn } = this.#options;
    this.#stopped.clear();
    this.#startedMs = clock.monotonicMs();
    const life = new GroupLife({
      clock,
      settings: { ...settings, verbosity: this.#verbosity },
      isRestart: this.#wasBuilt,
      hub,
      access,
      needs,
      supplies,
      fence,
      limits,
      spawn,
      onNews: (news) => this.#take(news),
      onFailure: (failure, reason) => this.#fail(failure, reason),
      onError: (message) =>
        this.#wasHeard || life.wasHeard ? this.#fail("broken", message) : this.#giveUp("unstartable", message),
    });
    this.#life = life;
    if (this.#isLeading) life.lead();
  }

  #take(news: GroupNews): void {
    switch (news.what) {
      case "started":
        if (this.#state.name === "starting") this.#state = { name: "filling" };
        this.#wasBuilt = true;
        this.#addBuilt(news.controllers);
        this.#started.resolve();
        break;
      case "unbuildable":
        if (this.#wasBuilt || !this.#isLeading) this.#fail("broken", news.message);
        else this.#giveUp("unbuildable", news.message);
        break;
      case "synced":
        if (this.#state.name === "filling") this.#state = { name: "running" };
        break;
      case "stopped":
        this.#stopped.set(news.controller, news.reason);
        break;
      case "ended":
        this.#finish();
        this.#state = { name: "ended" };
        this.#ended.resolve(news.isClean);
        break;
      case "broken":
        this.#fail("broken", news.message);
        break;
      case "log":
        this.#options.log(news.line);
    }
  }

  #addBuilt(controllers: readonly string[]): void {
    const added = this.#options.settings.controllers.filter((name) =>
      controllers.includes(name) && !this.#built.has(name)
    );
    for (const name of added) this.#built.add(name);
    if (added.length > 0) this.#options.onBuilt(added);
  }

  #giveUp(why: GroupDown["why"], reason: string): void {
    this.#finish();
    this.#state = { name: "down", reason };
    this.#ended.resolve(true); // it was stopping, and nothing was in progress
    this.#options.onDown({ why, reason });
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
      world.log.error("Controller group has failed too often and stays down", fields);
      return this.#options.onDown({ why: "failures", reason });
    }
    const delayMs = this.#backoff.nextMs();
    this.#state = { name: "waiting", reason };
    world.log.error("Controller group failed and is being restarted", { group, reason, delayMs: Math.round(delayMs) });
    void sleep(world.clock, delayMs, this.#closed.signal).then((isDue) => {
      if (!isDue) return;
      this.#state = { name: "starting" };
      try {
        this.#start();
      } catch (error) {
        this.#fail("broken", errorText(error));
      }
    });
  }

  /** Terminates the thread, if there is one. */
  #finish(): void {
    this.#started.resolve();
    const life = this.#life;
    this.#life = undefined;
    if (!life) return;
    this.#wasHeard ||= life.wasHeard;
    life.close();
  }
}
