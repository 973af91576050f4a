import type { Container, PodSpec } from "../../../../api/mod.ts";

const LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;

/** Calls `visit` for each container of a pod with its path: init, regular and ephemeral ones. */
export function visitContainers(
  spec: PodSpec,
  at: string,
  visit: (container: Container, path: string) => void,
): void {
  for (const list of LISTS) {
    const containers = spec[list];
    if (!containers) continue;
    const prefix = at === "" ? list : `${at}.${list}`;
    for (let i = 0; i < containers.length; i++) visit(containers[i], `${prefix}[${i}]`);
  }
}
