import type { Pod } from "../../api/mod.ts";

/** A port of the host that a container uses. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** The wildcard address. */
const ANY = "0.0.0.0";
const NONE: readonly HostPort[] = [];

/** The host ports of a pod's containers and sidecars. Upstream: `pkg/scheduler/util` (GetHostPorts). */
export function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const sidecars = spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === "Always") ?? [];
  const found: HostPort[] = [];
  for (const { ports = [] } of [...spec?.containers ?? [], ...sidecars]) {
    for (const { hostPort, hostIP, protocol } of ports) {
      if (hostPort) found.push({ ip: hostIP || ANY, protocol: protocol || "TCP", port: hostPort });
    }
  }
  return found.length > 0 ? found : NONE;
}

/** Whether two pods cannot both have the port: same number and protocol, and the same or a wildcard address. */
export function portsConflict(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === ANY || b.ip === ANY);
}
