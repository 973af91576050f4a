import type { Server as HttpServer } from "node:http";
import type { Socket } from "node:net";
import type { Server } from "node:tls";

/** How long to wait for a client that reads nothing. */
const STALLED_MS = 1000;

/**
 * The connections of a server that speaks TLS: Node's servers have no way to end them without losing what was not sent
 * yet.
 *
 * Contract:
 * 1. `end` ends each once its other end has taken all that was written to it, or takes nothing for a second.
 */
export class ServerConnections {
  readonly #open = new Set<Socket>();

  /** @param event The server's event for new connections; `connection` without TLS. */
  constructor(server: Server | HttpServer, event: "secureConnection" | "connection" = "secureConnection") {
    server.on(event, (connection: Socket) => {
      this.#open.add(connection);
      connection.once("close", () => this.#open.delete(connection));
    });
  }

  async end(): Promise<void> {
    await Promise.all([...this.#open].map((connection) =>
      new Promise<void>((resolve) => {
        connection.once("close", () => resolve());
        connection.setTimeout(STALLED_MS, () => connection.destroy());
        connection.destroySoon();
      })
    ));
  }
}
