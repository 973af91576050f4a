import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import fc from "../fast_check.ts";
import { ChunkedDecoder } from "../../src/client/http/chunked_decoder.ts";
import { ConnectionError } from "../../src/client/mod.ts";
import { fakeTransport } from "../unit/client/test_socket.ts";

const encoder = new TextEncoder();

/** A body in chunked coding, with extensions, leading zeros and trailers. */
const coded = fc.record({
  chunks: fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 6 }),
  extension: fc.constantFrom("", ";a", ';a="b;c"', " ;x=1"),
  zeros: fc.constantFrom("", "0", "000"),
  trailer: fc.constantFrom("", "A: b\r\n", "A: b\r\nC:\r\n"),
}).map(({ chunks, extension, zeros, trailer }) => {
  const parts = chunks.flatMap((chunk) => [
    encoder.encode(`${zeros}${chunk.length.toString(16)}${extension}\r\n`),
    chunk,
    encoder.encode("\r\n"),
  ]);
  return {
    payload: concat(chunks),
    bytes: concat([...parts, encoder.encode(`0${extension}\r\n${trailer}\r\n`)]),
  };
});

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** `bytes` in pieces, cut at these places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, i) => bytes.slice(ends[i - 1] ?? 0, end)).filter((piece) =>
    piece.length > 0
  );
}

Deno.test("ChunkedDecoder gives the payload for any chunks, extensions, trailers and any split", () => {
  fc.assert(fc.property(coded, fc.array(fc.nat(), { maxLength: 20 }), ({ payload, bytes }, places) => {
    const decoder = new ChunkedDecoder();
    const got: Uint8Array[] = [];
    for (const piece of cut(bytes, places)) {
      assert(!decoder.done);
      const { payloadEnd, readTo } = decoder.decode(piece, 0, piece.length);
      assertEquals(readTo, piece.length);
      got.push(piece.slice(0, payloadEnd));
    }
    assert(decoder.done);
    assertEquals(concat(got), payload);
  }));
});

Deno.test("httpTransport gives status and body for any response and any split of it", async () => {
  const { world, transport, sockets, send } = fakeTransport();
  const text = fc.string({ unit: "grapheme", maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.integer({ min: 200, max: 599 }).filter((code) => code !== 204 && code !== 304),
      fc.boolean(),
      fc.array(fc.nat(), { maxLength: 12 }),
      // A connection's buffer grows while it reads a long head, or a long body.
      fc.constantFrom(0, 4000, 4080, 15_000),
      fc.constantFrom(1, 100, 1000),
      async (part, status, isChunked, places, padding, times) => {
        const body = part.repeat(times);
        const payload = encoder.encode(body);
        const head = `HTTP/1.1 ${status} Reason\r\nPadding: ${"x".repeat(padding)}\r\n`;
        const bytes = isChunked && payload.length > 0
          ? concat([
            encoder.encode(`${head}Transfer-Encoding: chunked\r\n\r\n${payload.length.toString(16)}\r\n`),
            payload,
            encoder.encode("\r\n0\r\n\r\n"),
          ])
          : concat([encoder.encode(`${head}Content-Length: ${payload.length}\r\n\r\n`), payload]);
        const sent = send("GET");
        await world.clock.advance(0);
        for (const piece of cut(bytes, places)) sockets[0].pushBytes(piece);
        const answer = await sent;
        assertEquals([answer.status, await answer.text()], [status, body.replace(/^\ufeff/, "")]);
        assertEquals([sockets.length, transport.counts().idle], [1, 1]);
      },
    ),
    { numRuns: 60 },
  );
  transport.close();
});

Deno.test("httpTransport answers or fails with ConnectionError, whatever bytes a peer sends before it closes", async () => {
  const line = fc.oneof(
    fc.constantFrom(
      "HTTP/1.1 200 OK",
      "HTTP/1.1 100 Continue",
      "Content-Length: 3",
      "Transfer-Encoding: chunked",
      "",
      "3",
      "0",
    ),
    fc.string({ maxLength: 12 }),
  );
  const peer = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.array(line, { maxLength: 8 }).map((lines) => encoder.encode(lines.join("\r\n"))),
  );
  await fc.assert(
    fc.asyncProperty(peer, async (bytes) => {
      const { world, transport, sockets, send } = fakeTransport();
      const outcome = send("GET").then((answer) => answer.text()).then(() => undefined, (error) => error);
      await world.clock.advance(0);
      if (bytes.length > 0) sockets[0].pushBytes(bytes);
      sockets[0].end();
      const error = await outcome;
      if (error !== undefined) assertInstanceOf(error, ConnectionError);
      assertEquals(transport.counts(), { active: 0, idle: 0, waiting: 0 });
      transport.close();
      assertEquals(world.clock.pendingTimers, 0);
    }),
    { numRuns: 150 },
  );
});
