import type { Server } from "node:https";
import type { Socket } from "node:net";
import { type Clock, FairQueue } from "../base/mod.ts";
import { sourceOf } from "./source_address.ts";

/** Below 1,024 file descriptors, the usual default limit of a process. */
const MOST = 400;
const MOST_OF_ONE = 100;
/** A handshake takes the main thread 0.3 ms with a P-256 key and 5 ms with one of RSA 4096. */
const HANDSHAKES = { perSecond: 200, burst: 50 } as const;
/** A new connection has not had time to send a request. */
const FRESH_MS = 1000;

interface Connection {
  readonly id: string;
  readonly socket: Socket;
  readonly source: string;
  /** Requests whose answers are not sent yet. */
  requests: number;
  answers: number;
  /** When its handshake began or its last answer was sent; before that, it waits for the server. */
  idleSinceMs: number;
}

/**
 * Bounds the connections of an HTTPS server before they cost a handshake.
 *
 * Contract:
 * 1. At most 400 connections are open, 100 of them from one address; others are reset as soon as they are accepted. The
 *    addresses of one IPv6 network of 64 bits count as one.
 * 2. An address at its limit of 100 gets a new one in place of its connection that has been idle longest, for at least
 *    a second; otherwise in place of the one that has had most answers, so that busy clients do not keep out new ones.
 * 3. When 400 are open, an address that has fewer than another gets one of that address's: by sentence 2, or the
 *    oldest.
 * 4. Handshakes begin in turns of the addresses, 50 at once, then 200 in a second.
 *
 * If one of many clients behind an address floods the server, the others still get their share of that address's limit.
 * Upstream has no limit: Go's servers accept as many connections as there are file descriptors, on all processors.
 */
export class HttpsConnections {
  readonly #clock: Clock;
  readonly #handshakes: FairQueue;
  readonly #open = new Map<string, Connection>();
  readonly #bySource = new Map<string, Set<Connection>>();
  #refused = 0;

  constructor(clock: Clock, server: Server) {
    this.#clock = clock;
    this.#handshakes = new FairQueue({ clock, ...HANDSHAKES, mostHeld: MOST + 1, mostHeldOfOne: MOST_OF_ONE + 1 });
    const [handshake] = server.listeners("connection");
    // A runtime that cannot request certificates does not expose its connections either.
    if (!handshake) return;
    server.removeListener("connection", handshake as (socket: Socket) => void);
    server.on("connection", (socket: Socket) => this.#take(socket, () => handshake.call(server, socket)));
  }

  get count(): number {
    return this.#open.size;
  }

  /** Connections that were refused, or ended to make room for others. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether a request of `socket` is being answered, or its answer being sent. */
  isBusy(socket: Endpoints): boolean {
    return (this.#open.get(idOf(socket))?.requests ?? 0) > 0;
  }

  /** Reports a request on `socket`; call the returned function when its answer was sent. */
  began(socket: Endpoints): () => void {
    const connection = this.#open.get(idOf(socket));
    if (!connection) return () => {};
    connection.requests++;
    return () => {
      connection.requests--;
      connection.answers++;
      connection.idleSinceMs = this.#clock.monotonicMs();
    };
  }

  /** Ends connections that wait for or perform their handshake. */
  close(): void {
    this.#handshakes.close();
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  #take(socket: Socket, handshake: () => void): void {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return void socket.destroy(); // it was gone before it was accepted
    const source = sourceOf(remoteAddress);
    if (!this.#makesRoomFor(source)) return this.#refuse(socket);
    const connection = { id: idOf(socket), socket, source, requests: 0, answers: 0, idleSinceMs: Infinity };
    this.#open.set(connection.id, connection);
    const siblings = this.#bySource.get(source) ?? new Set();
    this.#bySource.set(source, siblings.add(connection));
    socket.once("close", () => this.#forget(connection));
    // Before the handshake there is no other error listener: a client that resets its connection must not end the
    // process.
    socket.on("error", () => socket.destroy());
    const begin = () => {
      connection.idleSinceMs = this.#clock.monotonicMs();
      return Promise.resolve(handshake());
    };
    this.#handshakes.run(source, begin, { isWanted: () => !socket.destroyed }).catch(() => this.#refuse(socket));
  }

  #refuse(socket: Socket): void {
    this.#refused++;
    socket.resetAndDestroy();
  }

  #forget(connection: Connection): void {
    const { id, source } = connection;
    // Its port may belong to another connection by now.
    if (this.#open.get(id) !== connection) return;
    this.#open.delete(id);
    const siblings = this.#bySource.get(source)!;
    siblings.delete(connection);
    if (siblings.size === 0) this.#bySource.delete(source);
  }

  #makesRoomFor(source: string): boolean {
    const own = this.#bySource.get(source)?.size ?? 0;
    if (own >= MOST_OF_ONE) return this.#end(this.#dispensable(source));
    if (this.#open.size < MOST) return true;
    let greediest = source;
    let most = own;
    for (const [other, { size }] of this.#bySource) if (size > most) [greediest, most] = [other, size];
    const dispensable = this.#dispensable(greediest);
    if (greediest === source) return this.#end(dispensable);
    const [oldest] = this.#bySource.get(greediest)!;
    return this.#end(dispensable ?? oldest);
  }

  /** Implements sentence 2 of the contract. */
  #dispensable(source: string): Connection | undefined {
    const freshMs = this.#clock.monotonicMs() - FRESH_MS;
    let idle: Connection | undefined;
    let served: Connection | undefined;
    for (const connection of this.#bySource.get(source) ?? []) {
      const { requests, answers, idleSinceMs } = connection;
      if (requests === 0 && idleSinceMs <= freshMs && idleSinceMs < (idle?.idleSinceMs ?? Infinity)) idle = connection;
      if (answers > (served?.answers ?? 0)) served = connection;
    }
    return idle ?? served;
  }

  /** @returns Whether there was one. */
  #end(connection: Connection | undefined): boolean {
    if (!connection) return false;
    // Frees its place at once, because the close event comes later.
    this.#forget(connection);
    this.#refuse(connection.socket);
    return true;
  }
}

type Endpoints = Pick<Socket, "remoteAddress" | "remotePort">;

/** The same for a socket and the TLS connection on top of it. */
function idOf({ remoteAddress, remotePort }: Endpoints): string {
  return `${remoteAddress} ${remotePort}`;
}
