type Bytes = Uint8Array<ArrayBuffer>;

/** `stream`; `onEnd` is called when it has ended, failed or been cancelled. */
export function reportingEnd(stream: ReadableStream<Bytes>, onEnd?: () => void): ReadableStream<Bytes> {
  if (!onEnd) return stream;
  const reader = stream.getReader();
  return new ReadableStream<Bytes>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        throw error;
      }
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}

/** A stream that has ended already. */
export function emptyStream(): ReadableStream<Bytes> {
  return new ReadableStream({ start: (controller) => controller.close() });
}

/** What `stream` holds as text, but not more than about `maxBytes` of it; the rest is cancelled. */
export async function textOf(
  stream: ReadableStream<Bytes>,
  maxBytes: number,
): Promise<{ readonly text: string; readonly bytes: number; readonly isCut: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of stream) {
    text += decoder.decode(piece.subarray(0, maxBytes - bytes), { stream: true });
    bytes += piece.length;
    if (bytes > maxBytes) break; // which cancels the stream
  }
  return { text: text + decoder.decode(), bytes, isCut: bytes > maxBytes };
}
