import type { Container, Pod } from "../../api/mod.ts";
import { type Exit, readScripts, type Script, type Scripts } from "./annotations.ts";
import { isUnpullable } from "./images.ts";

/** Default durations for pods, in milliseconds. */
export interface PodTimes {
  /** From a pod's binding until its containers can start. */
  readonly podStartMs: number;
  /** From a pod's deletion until its containers have stopped. */
  readonly podStopMs: number;
  /** How long containers run that are expected to end. */
  readonly podRunMs: number;
  /** How long init containers run. */
  readonly initRunMs: number;
}

/** A container's role: main ones, those that run before them, beside them, or are added later. */
export type ContainerRole = "main" | "init" | "sidecar" | "ephemeral";

export interface RoledContainer {
  readonly role: ContainerRole;
  readonly container: Container;
}

const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";

/** The plan for a pod: its annotations, with the simulator's defaults. */
export class PodPlan {
  readonly #pod: Pod;
  readonly #times: PodTimes;
  readonly #scripts: Scripts;

  constructor(pod: Pod, times: PodTimes) {
    this.#pod = pod;
    this.#times = times;
    this.#scripts = readScripts(pod);
  }

  /** Invalid annotations. */
  get problems(): readonly string[] {
    return this.#scripts.problems;
  }

  get startAfterMs(): number {
    return this.#scripts.startAfterMs ?? this.#times.podStartMs;
  }

  get stopAfterMs(): number {
    return this.#scripts.stopAfterMs ?? this.#times.podStopMs;
  }

  /** The resource that the node runs out of, and when in the pod's life. */
  get eviction(): { readonly resource: string; readonly afterMs: number } | undefined {
    const { evict, evictAfterMs = 0 } = this.#scripts;
    return evict === undefined ? undefined : { resource: evict, afterMs: evictAfterMs };
  }

  /** Whether the plan depends on the number of earlier failures. */
  get countsRuns(): boolean {
    const { exit, runForMs, readyAfterMs } = this.#scripts;
    return [exit, runForMs, readyAfterMs].some((script) => [...script?.values() ?? []].some((list) => list.length > 1));
  }

  /** How long pulling the image takes; `Infinity` if it fails. */
  pullMs(which: RoledContainer): number {
    return this.#pick(this.#scripts.imagePullMs, which, 0) ?? (isUnpullable(which.container.image) ? Infinity : 0);
  }

  /** The duration of the `run`th run of a container, counted from 0. */
  runMs(which: RoledContainer, run: number): number {
    const told = this.#pick(this.#scripts.runForMs, which, run);
    if (told !== undefined) return told;
    if (which.role === "init") return this.#times.initRunMs;
    const endsByCode = this.#pick(this.#scripts.exit, which, run) !== undefined;
    if (which.role !== "main") return endsByCode ? this.#times.podRunMs : Infinity;
    return endsByCode || policyOf(this.#pod, which.container) !== "Always" ? this.#times.podRunMs : Infinity;
  }

  exit(which: RoledContainer, run: number): Exit {
    return this.#pick(this.#scripts.exit, which, run) ?? { code: 0 };
  }

  /** The time from the container's start until it is ready. */
  readyAfterMs(which: RoledContainer, run: number): number {
    return this.#pick(this.#scripts.readyAfterMs, which, run) ?? 0;
  }

  stopCode({ role, container }: RoledContainer): number {
    const isKept = role === "sidecar" || policyOf(this.#pod, container) === "Always";
    return this.#scripts.stopCode ?? (isKept ? 0 : 143);
  }

  #pick<T>(script: Script<T> | undefined, which: RoledContainer, run: number): T | undefined {
    return scripted(script, { pod: this.#pod, which, run });
  }
}

/** The value in a script for the `run`th run of a container, if any. */
export function scripted<T>(
  script: Script<T> | undefined,
  { pod, which: { role, container }, run }: {
    readonly pod: Pod;
    readonly which: RoledContainer;
    readonly run: number;
  },
): T | undefined {
  if (!script) return undefined;
  const index = pod.metadata?.annotations?.[COMPLETION_INDEX];
  const forAll = role === "main"
    ? (index === undefined ? undefined : script.get(`@${index}`)) ?? script.get("")
    : undefined;
  const values = script.get(container.name) ?? forAll;
  return values?.[Math.min(run, values.length - 1)];
}

/** The container's restart policy, or else the pod's. */
export function policyOf({ spec }: Pod, { restartPolicy }: Container): string {
  return restartPolicy ?? spec?.restartPolicy ?? "Always";
}

/** All containers of a pod in the order in which they start. */
export function containersOf({ spec }: Pod): RoledContainer[] {
  return [
    ...(spec?.initContainers ?? []).map((container): RoledContainer => ({
      role: container.restartPolicy === "Always" ? "sidecar" : "init",
      container,
    })),
    ...(spec?.containers ?? []).map((container): RoledContainer => ({ role: "main", container })),
    ...(spec?.ephemeralContainers ?? []).map((container): RoledContainer => ({ role: "ephemeral", container })),
  ];
}
