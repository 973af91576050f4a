import type { Deadline } from "./deadline.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** `stream`, with `deadline` closed when the stream has ended, failed or been cancelled. */
export function closingDeadline(stream: ReadableStream<Bytes>, deadline: Deadline): ReadableStream<Bytes> {
  const reader = stream.getReader();
  return new ReadableStream<Bytes>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        deadline[Symbol.dispose]();
        controller.close();
      } catch (error) {
        deadline[Symbol.dispose]();
        throw error;
      }
    },
    cancel(reason) {
      deadline[Symbol.dispose]();
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}

/** A stream that has ended already. */
export function emptyStream(): ReadableStream<Bytes> {
  return new ReadableStream({ start: (controller) => controller.close() });
}
