/** Accepts connections at a free port of this machine; each is served on its own, and a failure ends that connection only. */
export class Accepting {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #ended: Promise<void>;

  /** @param serve Closes what it is given. */
  constructor(serve: (client: Deno.TcpConn) => Promise<void>) {
    this.#ended = this.#accept(serve);
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  /** Accepts nothing more, has `closeAll` close what is open, and waits until nobody serves any more. */
  async end(closeAll: () => void): Promise<void> {
    this.#listener.close();
    closeAll();
    await this.#ended;
  }

  async #accept(serve: (client: Deno.TcpConn) => Promise<void>): Promise<void> {
    const serving: Promise<void>[] = [];
    try {
      for await (const client of this.#listener) serving.push(serve(client).catch(() => {}));
    } catch {
      // The listener was closed while a connection was being accepted.
    }
    await Promise.all(serving);
  }
}
