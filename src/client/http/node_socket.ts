import type { Duplex } from "node:stream";
import { ConnectionError } from "../connection_error.ts";
import type { Socket } from "./socket.ts";

/** A {@link Socket} on top of a Node stream. The stream is paused while data waits to be read. */
export class NodeSocket implements Socket {
  readonly #stream: Duplex;
  readonly #chunks: Uint8Array[] = [];
  #failure?: Error;
  #hasEnded = false;
  #wake: () => void = () => {};
  readonly #onData = (chunk: Uint8Array) => {
    this.#chunks.push(chunk);
    this.#stream.pause();
    this.#wake();
  };
  readonly #onEnd = () => {
    this.#hasEnded = true;
    this.#wake();
  };
  readonly #onError = (error: Error) => {
    this.#failure = error;
    this.#wake();
  };
  readonly #onClose = () => {
    if (!this.#hasEnded) this.#failure ??= new ConnectionError("other", "connection closed");
    this.#wake();
  };

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on("data", this.#onData).on("end", this.#onEnd).on("error", this.#onError).on("close", this.#onClose);
  }

  async read(into: Uint8Array): Promise<number | null> {
    for (;;) {
      const chunk = this.#chunks[0];
      if (chunk) {
        const count = Math.min(chunk.length, into.length);
        into.set(chunk.subarray(0, count));
        if (count < chunk.length) this.#chunks[0] = chunk.subarray(count);
        else this.#chunks.shift();
        if (this.#chunks.length === 0) this.#stream.resume();
        return count;
      }
      if (this.#failure) throw this.#failure;
      if (this.#hasEnded) return null;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  write(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#stream.write(bytes, (error) => error ? reject(error) : resolve(bytes.length));
    });
  }

  close(): void {
    this.#stream.destroy();
  }

  /** Returns the underlying stream for a protocol layered on top; this socket no longer uses it. */
  detach(): Duplex {
    const stream = this.#stream;
    stream.off("data", this.#onData).off("end", this.#onEnd).off("error", this.#onError).off("close", this.#onClose);
    stream.pause();
    return stream;
  }
}
