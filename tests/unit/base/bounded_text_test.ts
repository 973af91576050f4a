import { assert, assertEquals, assertRejects } from "@std/assert";
import { boundedText, TooLongError } from "../../../src/base/mod.ts";

/** A stream of these chunks which then stays open, and whether it was cancelled. */
function openStream(...chunks: Uint8Array[]) {
  const seen = { isCancelled: false };
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => chunks.forEach((chunk) => controller.enqueue(chunk)),
    cancel: () => void (seen.isCancelled = true),
  });
  return { stream, seen };
}

Deno.test("boundedText joins a character that two chunks share", async () => {
  const [first, second] = [new Uint8Array([0xc3]), new Uint8Array([0xa4])];
  assertEquals(await boundedText(ReadableStream.from([first, second]), { maxBytes: 2 }), "ä");
  assertEquals(await boundedText(null, { maxBytes: 0 }), "");
});

Deno.test("boundedText counts bytes, and cancels a stream that is too long", async () => {
  const { stream, seen } = openStream(new TextEncoder().encode("ää"));
  await assertRejects(() => boundedText(stream, { maxBytes: 3 }), TooLongError, "it is longer than 3 bytes");
  assert(seen.isCancelled);
});

Deno.test("boundedText stops reading a silent stream when its signal aborts", async () => {
  const { stream, seen } = openStream();
  const abort = new AbortController();
  const text = boundedText(stream, { maxBytes: 3, signal: abort.signal });
  abort.abort(new Error("time is up"));
  await assertRejects(() => text, Error, "time is up");
  assert(seen.isCancelled);
});

Deno.test("boundedText refuses bytes that are not UTF-8 only if it is strict", async () => {
  const body = () => new Response(new Uint8Array([0xff])).body;
  assertEquals(await boundedText(body(), { maxBytes: 1 }), "\ufffd");
  await assertRejects(() => boundedText(body(), { maxBytes: 1, isStrict: true }), TypeError);
});
