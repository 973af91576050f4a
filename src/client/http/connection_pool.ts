import { type Clock, Deferred, type Timer } from "../../base/mod.ts";
import { ConnectionError, connectionFailureOf } from "../connection_error.ts";
import { HttpConnection } from "./connection.ts";
import type { Dial } from "./socket.ts";

/** Limits on the number of connections and their lifetime. Times in milliseconds. */
export interface PoolLimits {
  /** All connections, including those being opened. */
  readonly maxConnections: number;
  /** How many idle connections are kept. */
  readonly maxIdle: number;
  readonly idleTimeoutMs: number;
  /** How long a server may be silent while a response is awaited or read, except for streams. */
  readonly deadPeerTimeoutMs: number;
}

/** Connections in use, connections idle, and requests waiting for one. */
export interface ConnectionCounts {
  readonly active: number;
  readonly idle: number;
  readonly waiting: number;
}

/**
 * How many connections are opened at a time for requests: a burst of requests waits for free connections instead of
 * paying for as many handshakes.
 */
const MAX_DIALS = 8;
const SWEEP_MS = 5000;

interface Waiter {
  readonly connection: Deferred<HttpConnection>;
  readonly isFresh: boolean;
  readonly isWatch: boolean;
  /** Increases with each waiter. */
  readonly order: number;
}

/**
 * The connections to one server.
 *
 * Contract:
 * 1. Requests are served in the order in which they came; a connection that comes free goes to the first that waits.
 * 2. There are never more than `maxConnections`; further requests wait.
 * 3. An idle connection is closed after `idleTimeoutMs`, or at once if there are `maxIdle` already.
 * 4. A connection whose response is awaited fails after `deadPeerTimeoutMs` without a byte; streams may be silent.
 * 5. A connection that cannot be opened fails the request that has waited longest; if opening it took too long, all
 *    requests that waited already when it began, since they would do no better one after the other.
 * 6. At most eight connections are opened at a time for requests, which may get one that comes free meanwhile; watches
 *    keep theirs, and have them opened at once.
 * 7. A server found silent costs one request its time, not one for each idle connection: those are closed too.
 */
export class ConnectionPool {
  readonly #clock: Clock;
  readonly #dial: Dial;
  readonly #limits: PoolLimits;
  readonly #all = new Set<HttpConnection>();
  readonly #idle: HttpConnection[] = [];
  readonly #waiters = new Set<Waiter>();
  #dialing = 0;
  #order = 0;
  #closing = new AbortController();
  #isClosed = false;
  #sweep?: Timer;

  constructor(clock: Clock, dial: Dial, limits: PoolLimits) {
    this.#clock = clock;
    this.#dial = dial;
    this.#limits = limits;
  }

  /** Connections in use, connections idle, and requests waiting for one. */
  get counts(): ConnectionCounts {
    return { active: this.#all.size - this.#idle.length, idle: this.#idle.length, waiting: this.#waiters.size };
  }

  /** A connection for one request. It returns to the pool when its response has ended. */
  async acquire(
    { signal, isFresh = false, isWatch = false }: { signal?: AbortSignal; isFresh?: boolean; isWatch?: boolean },
  ): Promise<HttpConnection> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new ConnectionError("other", "the transport is closed");
    const parked = isFresh ? undefined : this.#idle.pop();
    if (parked) return this.#begin(parked);
    const waiter = { connection: new Deferred<HttpConnection>(), isFresh, isWatch, order: this.#order++ };
    this.#waiters.add(waiter);
    const onAbort = () => {
      if (this.#waiters.delete(waiter)) waiter.connection.reject(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort);
    this.#open();
    try {
      return this.#begin(await waiter.connection.promise);
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Closes idle connections. */
  closeIdle(): void {
    for (const connection of this.#idle.splice(0)) connection.close();
  }

  /** Fails every connection, and those being opened, with `reason`; new ones are opened for later requests. */
  closeAll(reason: Error): void {
    this.#closing.abort(reason);
    this.#closing = new AbortController();
    this.closeIdle();
    for (const connection of [...this.#all]) connection.abort(reason);
  }

  /** Accepts no more requests, fails waiting ones and closes idle connections. Responses in progress may finish. */
  close(): void {
    this.#isClosed = true;
    const reason = new ConnectionError("other", "the transport is closed");
    this.#closing.abort(reason);
    for (const waiter of this.#waiters) waiter.connection.reject(reason);
    this.#waiters.clear();
    this.closeIdle();
    if (this.#all.size === 0) this.#sweep?.cancel();
  }

  /** Returns a connection that was not used. */
  giveBack(connection: HttpConnection): void {
    connection.activity = "idle";
    connection.onEnd();
  }

  #begin(connection: HttpConnection): HttpConnection {
    connection.activity = "head";
    connection.sinceMs = this.#clock.monotonicMs();
    return connection;
  }

  #open(): void {
    const { maxConnections } = this.#limits;
    let wanted = 0;
    let watches = 0;
    for (const { isWatch } of this.#waiters) isWatch ? watches++ : wanted++;
    while (this.#dialing < watches + Math.min(MAX_DIALS, wanted)) {
      if (this.#all.size + this.#dialing >= maxConnections) {
        const spare = this.#idle.shift(); // only a request that needs a fresh connection waits while another is idle
        if (!spare) return;
        spare.close();
      }
      void this.#openOne();
    }
  }

  async #openOne(): Promise<void> {
    const { signal } = this.#closing;
    const order = this.#order;
    this.#dialing++;
    try {
      const socket = await this.#dial(signal);
      const connection = new HttpConnection(socket);
      connection.onEnd = () => this.#ended(connection);
      connection.onBytes = () => connection.sinceMs = this.#clock.monotonicMs();
      this.#all.add(connection);
      this.#armSweep();
      connection.activity = "idle";
      this.#dialing--;
      if (signal.aborted) connection.close();
      else this.#ended(connection);
    } catch (error) {
      this.#dialing--;
      if (!signal.aborted) this.#failWaiters(error, order);
    }
    this.#open();
  }

  /** Fails waiters after a failed dial that started when their order was below `order`. */
  #failWaiters(error: unknown, order: number): void {
    const isTimeout = connectionFailureOf(error) === "timeout";
    for (const waiter of this.#waiters) { // the longest waiting one comes first
      this.#waiters.delete(waiter);
      waiter.connection.reject(error);
      const [next] = this.#waiters;
      if (!isTimeout || !next || next.order >= order) return;
    }
  }

  /** A connection became free or was closed. */
  #ended(connection: HttpConnection): void {
    if (connection.activity === "closed") {
      this.#all.delete(connection);
      const at = this.#idle.indexOf(connection);
      if (at >= 0) this.#idle.splice(at, 1);
      if (this.#all.size === 0) this.#disarmSweep();
      this.#open();
      return;
    }
    for (const waiter of this.#waiters) {
      if (waiter.isFresh && connection.served > 0) continue;
      this.#waiters.delete(waiter);
      this.#begin(connection);
      waiter.connection.resolve(connection);
      return;
    }
    if (this.#isClosed || this.#idle.length >= this.#limits.maxIdle) return connection.close();
    connection.sinceMs = this.#clock.monotonicMs();
    this.#idle.push(connection);
    connection.watchIdle();
  }

  #armSweep(): void {
    this.#sweep ??= this.#clock.setTimer(SWEEP_MS, () => {
      this.#sweep = undefined;
      const nowMs = this.#clock.monotonicMs();
      for (const connection of [...this.#all]) this.#check(connection, nowMs - connection.sinceMs);
      if (this.#all.size > 0) this.#armSweep();
    });
  }

  #disarmSweep(): void {
    this.#sweep?.cancel();
    this.#sweep = undefined;
  }

  #check(connection: HttpConnection, silentMs: number): void {
    const { idleTimeoutMs, deadPeerTimeoutMs } = this.#limits;
    if (connection.activity === "idle") {
      if (silentMs >= idleTimeoutMs) connection.close();
    } else if (connection.activity !== "stream" && silentMs >= deadPeerTimeoutMs) {
      connection.abort(new ConnectionError("timeout", `no byte from the server for ${Math.round(silentMs)} ms`));
      this.closeIdle();
    }
  }
}
