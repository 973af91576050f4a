import { MAX_LIST_BYTES } from "../body_limits.ts";
import { emptyStream, textOf } from "../body_stream.ts";
import type { WireResponse } from "../transport.ts";
import type { HttpConnection } from "./connection.ts";
import type { ResponseHead } from "./response_head.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** How much is decompressed at once: of so many bytes gzip can make four mebibytes, in a few milliseconds. */
const COMPRESSED_BYTES = 4096;

/** A response whose body is still on its connection. */
export class HttpResponse implements WireResponse {
  readonly #head: ResponseHead;
  readonly #onFailure: (error: unknown) => unknown;
  /** Absent once the body was taken or discarded, because the connection may then serve another request. */
  #connection?: HttpConnection;
  bodyBytes = 0;
  isCut = false;

  constructor(
    head: ResponseHead,
    { connection, onFailure }: {
      /** Absent if there is no body. */
      readonly connection?: HttpConnection;
      /** Closes the connection and returns the error to throw. */
      readonly onFailure: (error: unknown) => unknown;
    },
  ) {
    this.#head = head;
    this.#connection = connection;
    this.#onFailure = onFailure;
  }

  get status(): number {
    return this.#head.status;
  }

  header(name: string): string | undefined {
    return this.#head.headers.get(name)?.join(", ");
  }

  async text(maxBytes = MAX_LIST_BYTES): Promise<string> {
    if (this.#isCompressed) {
      const { text, isCut } = await textOf(this.stream(), maxBytes);
      this.isCut = isCut;
      return text;
    }
    const connection = this.#take();
    if (!connection) return "";
    const decoder = new TextDecoder();
    let text = "";
    try {
      while (!connection.isBodyEnded) {
        const piece = await connection.nextPiece();
        this.bodyBytes += piece.length;
        text += decoder.decode(piece, { stream: !connection.isBodyEnded });
        if (this.bodyBytes <= maxBytes) continue;
        this.isCut = true;
        connection.close();
        return text;
      }
    } catch (error) {
      throw this.#onFailure(error);
    }
    connection.finish();
    return text;
  }

  stream(onEnd?: () => void): ReadableStream<Bytes> {
    const connection = this.#take();
    if (!connection) {
      onEnd?.();
      return emptyStream();
    }
    connection.activity = "stream";
    const mostBytes = this.#isCompressed ? COMPRESSED_BYTES : Infinity;
    let isOver = false; // from then on, the connection may serve another request
    const received = new ReadableStream<Bytes>({
      pull: async (controller) => {
        try {
          const piece = await connection.nextPiece();
          this.bodyBytes += piece.length;
          for (let at = 0; at < piece.length; at += mostBytes) {
            controller.enqueue(piece.slice(at, at + mostBytes)); // the piece itself lies in the connection's buffer
          }
        } catch (error) {
          onEnd?.();
          throw this.#onFailure(error);
        }
        if (!connection.isBodyEnded) return;
        onEnd?.();
        isOver = true;
        connection.finish();
        controller.close();
      },
      cancel: () => {
        onEnd?.();
        if (!isOver) connection.close();
      },
    }, { highWaterMark: 0 });
    return this.#isCompressed ? received.pipeThrough(new DecompressionStream("gzip")) : received;
  }

  discard(): void {
    this.#take()?.close();
  }

  get #isCompressed(): boolean {
    return this.header("content-encoding") === "gzip";
  }

  #take(): HttpConnection | undefined {
    const connection = this.#connection;
    this.#connection = undefined;
    return connection;
  }
}
