import type { Logger } from "../base/mod.ts";
import type { Supervisor } from "../manager/mod.ts";

/** Environment variables that systemd sets for a service. */
export interface ServiceEnvironment {
  readonly NOTIFY_SOCKET?: string;
  readonly RUNTIME_DIRECTORY?: string;
  readonly WATCHDOG_USEC?: string;
  readonly WATCHDOG_PID?: string;
}

/** A supervisor and its socket. */
export interface SystemdSupervisor extends Supervisor, Disposable {}

/**
 * Connects to systemd, if it started this process with `Type=notify`.
 *
 * Deno only sends datagrams between sockets that have a path. So the unit needs a `RuntimeDirectory`, and systemd's own
 * socket must not be abstract; for system services it is not.
 *
 * @returns `undefined` if systemd does not expect notifications or cannot be reached; the reason is logged.
 */
export function systemdSupervisor(env: ServiceEnvironment, log: Logger): SystemdSupervisor | undefined {
  const target = env.NOTIFY_SOCKET ?? "";
  if (target === "") return undefined;
  try {
    return connect(target, env);
  } catch (error) {
    log.warn("Cannot report this process's state to systemd", { err: error, socket: target });
    return undefined;
  }
}

function connect(target: string, env: ServiceEnvironment): SystemdSupervisor {
  if (!target.startsWith("/")) throw new Error("its socket has no path, and this runtime reaches no other");
  const folder = (env.RUNTIME_DIRECTORY ?? "").split(":")[0];
  if (folder === "") throw new Error("the unit has no RuntimeDirectory to send from");
  if (!("listenDatagram" in Deno)) throw new Error("run Deno with --unstable-net");
  const path = `${folder}/notify-${Deno.pid}.sock`;
  const socket = Deno.listenDatagram({ transport: "unixpacket", path });
  return {
    watchdogMs: watchdogMs(env),
    send: (message) => socket.send(new TextEncoder().encode(message), { transport: "unixpacket", path: target }),
    [Symbol.dispose]: () => {
      socket.close();
      Deno.removeSync(path);
    },
  };
}

/** How often systemd expects a notification from this process; it may name another process instead. */
function watchdogMs({ WATCHDOG_USEC: us, WATCHDOG_PID: pid }: ServiceEnvironment): number | undefined {
  if (us === undefined || !/^[1-9]\d*$/.test(us)) return undefined;
  return pid === undefined || pid === String(Deno.pid) ? Number(us) / 1000 : undefined;
}
