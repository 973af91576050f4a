import { concat } from "@std/bytes/concat";
import { type Clock, sleep } from "../../../base/mod.ts";

const NEWLINE = 10;

/** A stream that delays each chunk by `lagMs`. */
export function delayed(clock: Clock, lagMs: number): TransformStream<Uint8Array, Uint8Array> {
  const given = new AbortController();
  let previous: Promise<unknown> = Promise.resolve();
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      const due = sleep(clock, lagMs, given.signal);
      previous = previous.then(() => due).then((isDue) => isDue && controller.enqueue(piece));
    },
    flush: () => previous.then(() => {}),
    cancel: () => given.abort(),
  });
}

/** A stream that repeats every line. */
export function doubled(): TransformStream<Uint8Array, Uint8Array> {
  let rest = new Uint8Array();
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      let bytes: Uint8Array<ArrayBuffer> = concat([rest, piece]);
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE)) {
        const line = bytes.subarray(0, end + 1);
        controller.enqueue(concat([line, line]));
        bytes = bytes.subarray(end + 1);
      }
      rest = bytes;
    },
  });
}
