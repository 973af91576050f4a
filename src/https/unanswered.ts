import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** Ordinary clients wait for each answer. */
const MAX_UNANSWERED = 100;

/** Counts, for each connection, the requests whose answers are not sent yet: Node keeps all of them. */
export class Unanswered {
  readonly #bySocket = new WeakMap<Duplex, number>();

  /** Whether a request of `socket` may be answered with `out`. */
  admits(socket: Duplex, out: ServerResponse): boolean {
    // The parser also delivers requests that it read before the connection closed.
    if (socket.destroyed) return false;
    const count = (this.#bySocket.get(socket) ?? 0) + 1;
    if (count > MAX_UNANSWERED) {
      socket.destroy();
      return false;
    }
    this.#bySocket.set(socket, count);
    out.once("finish", () => this.#bySocket.set(socket, this.#bySocket.get(socket)! - 1));
    return true;
  }
}
