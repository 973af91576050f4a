import type { Process } from "../../controlplane/process.ts";

/** A connection that lives shorter and is closed by the server may be missed. */
const EVERY_MS = 100;

/**
 * Counts the TCP connections that a process opens to a port of this machine, by looking at the system's table. One that was
 * closed between two looks is still there while the system waits for late packets; only its owner is unknown then, and it
 * counts unless this process, the server itself or somebody else was seen to have it.
 */
export class ConnectionCounter implements AsyncDisposable {
  readonly #pid: number;
  readonly #port: number;
  readonly #timer: ReturnType<typeof setInterval>;
  /** The client's port of each connection that was there before, that is another's, or that was counted. */
  readonly #known = new Set<string>();
  #opened = 0;
  #looking: Promise<void> | undefined;

  private constructor(process: Process, port: number) {
    this.#pid = process.pid;
    this.#port = port;
    this.#timer = setInterval(() => void this.#look(), EVERY_MS);
  }

  /** Counts from now on; `before` are connections that nobody is to be blamed for, see {@link connectionsTo}. */
  static start(process: Process, port: number, before: ReadonlyMap<string, string>): ConnectionCounter {
    const counter = new ConnectionCounter(process, port);
    for (const client of before.keys()) counter.#known.add(client);
    return counter;
  }

  /** How many were opened until now. */
  async opened(): Promise<number> {
    await this.#look();
    return this.#opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  #look(): Promise<void> {
    return this.#looking ??= this.#count().finally(() => this.#looking = undefined);
  }

  async #count(): Promise<void> {
    const fresh = [...await connectionsTo(this.#port)].filter(([client]) => !this.#known.has(client));
    if (fresh.length === 0) return;
    const sockets = await socketsOf(this.#pid);
    for (const [client, inode] of fresh) {
      this.#known.add(client);
      if (inode === NOBODY || sockets.has(inode)) this.#opened++;
    }
  }
}

/** The inode of a socket that its process has closed. */
const NOBODY = "0";
const LOOPBACK = "0100007F";

/** The clients' ports of the connections to a port of this machine, and the inodes of the clients' sockets. */
export async function connectionsTo(port: number): Promise<ReadonlyMap<string, string>> {
  const server = `${LOOPBACK}:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const connections = new Map<string, string>();
  for (const line of (await Deno.readTextFile("/proc/net/tcp")).split("\n").slice(1)) {
    const [, local, remote, state, , , , , , inode] = line.trim().split(/\s+/);
    if (remote === server) connections.set(local, inode);
    // Where the server closed first, only its half waits for late packets.
    if (local === server && state === TIME_WAIT && !connections.has(remote)) connections.set(remote, NOBODY);
  }
  return connections;
}

const TIME_WAIT = "06";

async function socketsOf(pid: number): Promise<ReadonlySet<string>> {
  const sockets = new Set<string>();
  for (const { name } of Deno.readDirSync(`/proc/${pid}/fd`)) {
    const target = await Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => "");
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
    if (inode) sockets.add(inode);
  }
  return sockets;
}
