import { Accepting } from "./accepting.ts";

/** Stands between a client and a port of this machine, and can take them apart as a lost route does. */
export class TcpProxy implements AsyncDisposable {
  readonly #serverPort: number;
  readonly #accepting = new Accepting((client) => this.#serve(client));
  readonly #connections = new Set<Deno.TcpConn>();
  #isBlocked = false;

  constructor(serverPort: number) {
    this.#serverPort = serverPort;
  }

  get port(): number {
    return this.#accepting.port;
  }

  /** From now on nothing gets through, and nobody is told: connections stay open, also new ones, and what is sent is lost. */
  block(): void {
    this.#isBlocked = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#accepting.end(() => {
      for (const connection of this.#connections) this.#close(connection);
    });
  }

  async #serve(client: Deno.TcpConn): Promise<void> {
    this.#connections.add(client);
    try {
      const server = await Deno.connect({ hostname: "127.0.0.1", port: this.#serverPort });
      this.#connections.add(server);
      await Promise.all([this.#pass(client, server), this.#pass(server, client)]);
    } finally {
      this.#close(client);
    }
  }

  async #pass(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
    const buffer = new Uint8Array(65536);
    try {
      for (;;) {
        const count = await from.read(buffer);
        if (count === null) break;
        if (this.#isBlocked) continue;
        for (let at = 0; at < count;) at += await to.write(buffer.subarray(at, count));
      }
    } catch {
      // One side is gone; the other is told below.
    }
    this.#close(from);
    this.#close(to);
  }

  #close(connection: Deno.TcpConn): void {
    if (this.#connections.delete(connection)) connection.close();
  }
}
