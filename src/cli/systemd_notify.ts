import type { Logger } from "../base/mod.ts";
import type { Supervisor } from "../manager/mod.ts";

/** What systemd tells a service in its environment. */
export interface ServiceEnvironment {
  readonly NOTIFY_SOCKET?: string;
  readonly RUNTIME_DIRECTORY?: string;
  readonly WATCHDOG_USEC?: string;
  readonly WATCHDOG_PID?: string;
}

/** A supervisor, and the socket by which it is told. */
export interface SystemdSupervisor extends Supervisor, Disposable {}

/**
 * systemd, where it started this process with `Type=notify`.
 *
 * Deno sends datagrams from sockets that have a path, to sockets that have one. So the unit needs a `RuntimeDirectory`, and
 * systemd's own socket must not be an abstract one; that of system services is not.
 *
 * @returns Nothing where nobody wants to know, or cannot be told: `log` gets a line that says why.
 */
export function systemdSupervisor(env: ServiceEnvironment, log: Logger): SystemdSupervisor | undefined {
  const target = env.NOTIFY_SOCKET ?? "";
  if (target === "") return undefined;
  try {
    return connect(target, env);
  } catch (error) {
    log.warn("Cannot tell systemd how this process is", { err: error, socket: target });
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

/** How often systemd wants to hear of this process; it names another where that one is meant. */
function watchdogMs({ WATCHDOG_USEC: us, WATCHDOG_PID: pid }: ServiceEnvironment): number | undefined {
  if (us === undefined || !/^[1-9]\d*$/.test(us)) return undefined;
  return pid === undefined || pid === String(Deno.pid) ? Number(us) / 1000 : undefined;
}
