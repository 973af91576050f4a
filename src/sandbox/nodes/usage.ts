import { parseTime, type Pod, Quantity } from "../../api/mod.ts";
import { readScripts, type Usage } from "./annotations.ts";
import { containersOf, scripted } from "./plan.ts";

/** The usage of a running container. */
export interface ContainerUsage {
  readonly name: string;
  /** When it was started, in milliseconds since 1970. */
  readonly startedMs: number;
  /** By resource; without measurements it is absent. */
  readonly usage: ReadonlyMap<string, Quantity>;
}

/** The usage of an idle container. */
const IDLE_CPU = Quantity.parse("1m");
const IDLE_MEMORY = Quantity.parse("16Mi");

/**
 * The usage of a pod's running containers by its annotations (see {@link ANNOTATION_PREFIX}), or that of idle ones.
 *
 * @example
 * ```ts
 * import { usageOfContainers } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const state = { running: { startedAt: "2026-01-01T00:00:00Z" } };
 * const [main] = usageOfContainers({
 *   metadata: { annotations: { "kubeloop.dev/cpu-usage": "250m" } },
 *   spec: { containers: [{ name: "main", image: "app:1" }] },
 *   status: {
 *     containerStatuses: [{ name: "main", image: "app:1", imageID: "", ready: true, restartCount: 0, state }],
 *   },
 * });
 * assertEquals(main.usage.get("cpu")?.toString(), "250m");
 * assertEquals(main.usage.get("memory")?.toString(), "16Mi");
 * ```
 */
export function usageOfContainers(pod: Pod): readonly ContainerUsage[] {
  const { cpuUsage, memoryUsage } = readScripts(pod);
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  const statuses = new Map(
    [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].map((each) => [each.name, each]),
  );
  return containersOf(pod).flatMap((which) => {
    const { name } = which.container;
    const { state, restartCount: run = 0 } = statuses.get(name) ?? {};
    if (!state?.running) return [];
    const where = { pod, which, run };
    const said = { cpu: scripted(cpuUsage, where) ?? IDLE_CPU, memory: scripted(memoryUsage, where) ?? IDLE_MEMORY };
    const told = Object.entries(said).filter((each): each is [string, Exclude<Usage, "none">] => each[1] !== "none");
    return [{ name, startedMs: parseTime(state.running.startedAt ?? "1970-01-01T00:00:00Z"), usage: new Map(told) }];
  });
}
