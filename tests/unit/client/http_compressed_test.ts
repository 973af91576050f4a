// Bodies that the server has compressed.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { concat } from "@std/bytes/concat";
import { ConnectionError } from "../../../src/client/mod.ts";
import { fakeTransport } from "./test_socket.ts";

const encoder = new TextEncoder();
const HEAD = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n";

async function gzipped(text: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
}

/** Sends a request whose answer is `body`, and returns the answer's stream. */
async function answered(body: Uint8Array, { length = body.length, step = body.length } = {}) {
  const { world, transport, sockets, send } = fakeTransport();
  const sent = send("GET");
  await world.clock.advance(0);
  const bytes = concat([encoder.encode(`${HEAD}Content-Length: ${length}\r\n\r\n`), body]);
  for (let at = 0; at < bytes.length; at += step) sockets[0].pushBytes(bytes.slice(at, at + step));
  return { transport, socket: sockets[0], stream: (await sent).stream() };
}

for (const step of [1, 7, 100_000]) {
  Deno.test(`httpTransport decompresses a stream that comes in pieces of ${step} bytes`, async () => {
    const text = Array.from({ length: 2000 }, (_, i) => `line ${i * 7919}\n`).join("");
    const { transport, stream } = await answered(await gzipped(text), { step });
    assertEquals(await new Response(stream).text(), text);
    assertEquals(transport.counts(), { active: 0, idle: 1, waiting: 0 });
    transport.close();
  });
}

Deno.test("httpTransport decompresses little at a time, whatever it grows to", async () => {
  const bytes = 32 * 1024 * 1024;
  const { transport, stream } = await answered(await gzipped(new Uint8Array(bytes)));
  let [total, longest] = [0, 0];
  for await (const { length } of stream) [total, longest] = [total + length, Math.max(longest, length)];
  assertEquals(total, bytes);
  assert(longest <= 5 * 1024 * 1024, `a piece of ${longest} bytes`);
  transport.close();
});

Deno.test("httpTransport fails a compressed body that is none, and closes its connection", async () => {
  const { transport, socket, stream } = await answered(encoder.encode('{"kind":"PodList"}'), { length: 1000 });
  await assertRejects(() => new Response(stream).text(), TypeError);
  assertEquals([socket.isClosed, transport.counts().active], [true, 0]);
});

Deno.test("httpTransport fails a compressed body that is damaged", async () => {
  const body = await gzipped("a".repeat(100_000));
  body[body.length - 6] ^= 1; // in the checksum
  const { transport, stream } = await answered(body);
  await assertRejects(() => new Response(stream).text(), TypeError);
  transport.close();
});

Deno.test("httpTransport fails a compressed body that ends too early", async () => {
  const body = (await gzipped("a".repeat(100_000))).slice(0, -20);
  const whole = await answered(body);
  await assertRejects(() => new Response(whole.stream).text(), TypeError);
  whole.transport.close();
  const cut = await answered(body, { length: body.length + 20 });
  cut.socket.end();
  const error = await assertRejects(() => new Response(cut.stream).text(), ConnectionError);
  assertEquals(error.failure, "eof");
  cut.transport.close();
});

Deno.test("httpTransport closes the connection of a compressed body that is cancelled", async () => {
  const { transport, socket, stream } = await answered(await gzipped("a".repeat(100_000)), { length: 1_000_000 });
  const reader = stream.getReader();
  assert((await reader.read()).value!.length > 0);
  await reader.cancel();
  assertEquals([socket.isClosed, transport.counts().active], [true, 0]);
});
