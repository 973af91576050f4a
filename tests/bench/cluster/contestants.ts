/** Who is measured: upstream's manager, and kubeloop in one or several forms. */
import { resolve } from "@std/path";
import { EXECUTABLE, type Manager, type ManagerOptions, startManager } from "../../controlplane/manager.ts";
import type { ControlPlane } from "../../controlplane/control_plane.ts";

export interface Contestant {
  /** Heads its column. */
  readonly name: string;
  start(plane: ControlPlane, options: ManagerOptions): Promise<Manager>;
}

export const UPSTREAM: Contestant = {
  name: "upstream",
  start: (plane, options) => startManager(plane, "upstream", options),
};

/**
 * Upstream's manager, and kubeloop as each of `specs` says: `[NAME=]PATH [FLAG...]`, where the path is an executable or a
 * checkout. Without any, kubeloop is `$KUBELOOP_EXECUTABLE`, or the sources beside this file.
 *
 * @example `contestantsOf(["groups=dist/kubeloop", "one thread=dist/kubeloop --controller-groups=none"])`
 */
export function contestantsOf(specs: readonly string[]): readonly Contestant[] {
  const forms = specs.length > 0 ? specs : [`kubeloop=${EXECUTABLE}`];
  return [UPSTREAM, ...forms.map(kubeloopOf)];
}

function kubeloopOf(spec: string): Contestant {
  const { name, path = "", flags = "" } = /^(?:(?<name>[^=/]+)=)?(?<path>\S*)\s*(?<flags>.*)$/.exec(spec)!.groups!;
  const own = flags === "" ? [] : flags.split(/\s+/);
  return {
    name: name ?? spec,
    start: (plane, options) =>
      startManager(plane, "kubeloop", {
        ...options,
        program: path === "" ? undefined : resolve(path),
        flags: [...options.flags ?? [], ...own],
      }),
  };
}
