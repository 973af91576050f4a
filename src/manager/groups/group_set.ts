import { Deferred, type MetricsRegistry, type World } from "../../base/mod.ts";
import { type ControllerDescriptor, needsOf, type Supplies } from "../../controllers/mod.ts";
import type { SharedFence } from "../../election/mod.ts";
import type { HealthCheck } from "../health.ts";
import type { WatchHub } from "../hub/mod.ts";
import type { Answer, Question } from "../questions.ts";
import { limited } from "../supplies/mod.ts";
import type { GroupAssignment } from "./assignment.ts";
import { Group, type GroupDown, type GroupLimits } from "./group.ts";
import { GROUP_FAILURES, type GroupThread } from "./group_life.ts";
import type { GroupSettings } from "./group_messages.ts";
import { type GroupAccess, restricted } from "./group_access.ts";

/** Options of {@link GroupSet}. */
export interface GroupSetOptions {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  readonly assignments: readonly GroupAssignment[];
  /** The rows of the assigned controllers. */
  readonly rows: readonly ControllerDescriptor[];
  /** The start settings of all groups. */
  readonly settings: Omit<GroupSettings, "name" | "controllers" | "files" | "cloud">;
  readonly hub: WatchHub;
  readonly access: GroupAccess;
  /** Supplies for all rows' needs. */
  readonly supplies: Supplies;
  /** Open while this process may write. */
  readonly fence: SharedFence;
  readonly limits: GroupLimits;
  spawn(name: string): GroupThread;
  log(line: string): void;
  /** Called with one check per built controller, which is not ready once the controller was stopped permanently. */
  onBuilt(checks: readonly HealthCheck[]): void;
}

/** The message about a group whose thread cannot be started. */
export function unstartable(group: string, reason: unknown): string {
  const name = JSON.stringify(group);
  return `the thread of controller group ${name} cannot start (try --controller-groups=none): ${reason}`;
}

/** The controller groups of a process. */
export class GroupSet {
  readonly #groups: readonly Group[];
  readonly #hopeless = new Deferred<string>();

  constructor(options: GroupSetOptions) {
    const { world, metrics, assignments, rows, settings, limits, spawn, log, hub, access, supplies, fence, onBuilt } =
      options;
    const failures = metrics.counter({
      name: "kubeloop_group_failures_total",
      help: "How often a controller group was ended because it threw, blocked its event loop or took too much memory.",
      labels: ["group", "reason"],
    });
    for (const { name } of assignments) for (const reason of GROUP_FAILURES) failures.inc([name, reason], 0);
    const open = metrics.gauge({
      name: "kubeloop_group_open_messages",
      help: "Questions to a controller group without an answer yet, and queries of its own that are being answered.",
      labels: ["group", "kind"],
    });
    this.#groups = assignments.map(({ name, controllers }) => {
      const needs = needsOf(rows.filter((row) => controllers.includes(row.name)));
      const group: Group = new Group({
        world,
        settings: { ...settings, name, controllers },
        hub,
        access: restricted(access, { controllers, needs, server: settings.server }),
        needs,
        supplies: limited(supplies, needs),
        fence,
        limits,
        spawn: () => spawn(name),
        log,
        onBuilt: (built) =>
          onBuilt(
            built.map((each) => ({ name: each, run: () => undefined, isNotReady: () => group.stopped.get(each) })),
          ),
        onFailure: (reason) => failures.inc([name, reason]),
        onDown: (down) => this.#takeDown(name, down),
      });
      open.track(() => group.open.questions, [name, "question"]);
      open.track(() => group.open.queries, [name, "query"]);
      return group;
    });
  }

  /**
   * Resolves to the reason why the process should end: a group's thread cannot be started, it cannot build its
   * controllers although it must lead, or no group is left.
   */
  get hopeless(): Promise<string> {
    return this.#hopeless.promise;
  }

  #takeDown(name: string, { why, reason }: GroupDown): void {
    const group = JSON.stringify(name);
    if (why === "unstartable") this.#hopeless.resolve(unstartable(name, reason));
    else if (why === "unbuildable") this.#hopeless.resolve(`controller group ${group} cannot be built: ${reason}`);
    else if (this.#groups.every(({ state }) => state.name === "down")) {
      this.#hopeless.resolve(`all controller groups are down, ${group} as the last: ${reason}`);
    }
  }

  /** Resolves when each group has started or failed to. */
  async started(): Promise<void> {
    await Promise.all(this.#groups.map((group) => group.started));
  }

  /**
   * One check per group, which is not ready while the group does not run.
   *
   * @param isFatal Whether a group that stays down also makes it unhealthy.
   */
  checks(isFatal: boolean): HealthCheck[] {
    return this.#groups.map((group) => ({
      name: `group-${group.name}`,
      run: () => isFatal && group.state.name === "down" ? `down: ${group.state.reason}` : undefined,
      isNotReady: () => {
        const { state } = group;
        if (state.name === "waiting" || state.name === "down") return `${state.name}: ${state.reason}`;
        return state.name === "running" || state.name === "stopping" ? undefined : state.name;
      },
    }));
  }

  /** A line for each object that an informer of some group cannot read. */
  get setAside(): string[] {
    return [...new Set(this.#groups.flatMap(({ setAside }) => setAside))];
  }

  /** Restarts the group that uses the most memory. @returns Whether there was one. */
  relieve(reason: string): boolean {
    const [largest] = this.#groups.filter(({ heapBytes }) => heapBytes > 0).toSorted((a, b) =>
      b.heapBytes - a.heapBytes
    );
    largest?.relieve(reason);
    return largest !== undefined;
  }

  /** Starts all controllers' work. */
  lead(): void {
    for (const group of this.#groups) group.lead();
  }

  /** Sets the log verbosity of all groups. */
  setVerbosity(verbosity: number): void {
    for (const group of this.#groups) group.setVerbosity(verbosity);
  }

  /** Asks each running group a question. */
  async ask<Q extends Question>(question: Q): Promise<Answer<Q>[]> {
    return (await Promise.all(this.#groups.map((group) => group.ask(question)))).flat();
  }

  /** Finishes work in progress; resolves to whether all of it finished. */
  async stop(): Promise<boolean> {
    const ends = await Promise.all(this.#groups.map((group) => group.stop()));
    return ends.every((isClean) => isClean);
  }

  /** Ends all of them at once. */
  end(): void {
    for (const group of this.#groups) group.end();
  }
}
