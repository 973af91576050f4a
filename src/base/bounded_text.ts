import { unlessAborted } from "./unless_aborted.ts";

/** A stream holds more than its reader accepts. */
export class TooLongError extends RangeError {
  override readonly name = "TooLongError";

  constructor(maxBytes: number) {
    super(`it is longer than ${maxBytes} bytes`);
  }
}

/** How much is read, and until when. */
export interface BoundedTextOptions {
  readonly maxBytes: number;
  /** Ends the reading, even while the stream is silent. */
  readonly signal?: AbortSignal;
  /** Whether bytes that are not UTF-8 are an error. Otherwise each becomes U+FFFD. */
  readonly isStrict?: boolean;
}

/**
 * Reads a stream to its end as UTF-8, without trusting its sender. Cancels the stream when it stops early.
 *
 * @param stream `null` reads as empty, as in the body of a `Response`.
 * @throws {TooLongError} If the stream is longer than `maxBytes`.
 * @throws {TypeError} If it is not UTF-8 and `isStrict` is set.
 * @throws The stream's own error, or the signal's reason when it aborts.
 *
 * @example
 * ```ts
 * import { boundedText, TooLongError } from "./mod.ts";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * assertEquals(await boundedText(new Response("short").body, { maxBytes: 10 }), "short");
 * await assertRejects(() => boundedText(new Response("much too long").body, { maxBytes: 10 }), TooLongError);
 * ```
 */
export async function boundedText(
  stream: ReadableStream<Uint8Array> | null,
  { maxBytes, signal, isStrict = false }: BoundedTextOptions,
): Promise<string> {
  if (!stream) return "";
  const reader = stream.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: isStrict });
  const parts: string[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const read = reader.read();
      const { done, value } = signal ? await unlessAborted(read, signal) : await read;
      if (done) return parts.join("") + decoder.decode();
      bytes += value.length;
      if (bytes > maxBytes) throw new TooLongError(maxBytes);
      parts.push(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    reader.cancel(error).catch(() => {}); // the reason it stopped matters more
    throw error;
  }
}
