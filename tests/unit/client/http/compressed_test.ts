// Bodies that the server has compressed.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { concat } from "@std/bytes/concat";
import { ConnectionError } from "../../../../src/client/mod.ts";
import { fakeTransport } from "../test_socket.ts";

const encoder = new TextEncoder();
const HEAD = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n";

async function gzipped(text: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
}

/** Sends a request whose answer is `body`, and returns the answer. */
async function answered(body: Uint8Array, { length = body.length, step = Infinity } = {}) {
  const { world, transport, sockets, send } = fakeTransport();
  const sent = send("GET");
  await world.clock.advance(0);
  const bytes = concat([encoder.encode(`${HEAD}Content-Length: ${length}\r\n\r\n`), body]);
  for (let at = 0; at < bytes.length; at += step) sockets[0].pushBytes(bytes.slice(at, at + step));
  return { world, transport, sockets, socket: sockets[0], send, response: await sent };
}

for (const step of [1, 7, 100_000]) {
  Deno.test(`httpTransport decompresses a stream that comes in pieces of ${step} bytes`, async () => {
    const text = Array.from({ length: 2000 }, (_, i) => `line ${i * 7919}\n`).join("");
    const { transport, response } = await answered(await gzipped(text), { step });
    assertEquals(await new Response(response.stream()).text(), text);
    assertEquals(transport.counts(), { active: 0, idle: 1, waiting: 0 });
    transport.close();
  });
}

Deno.test("httpTransport decompresses little at a time, whatever it grows to", async () => {
  const bytes = 32 * 1024 * 1024;
  const { transport, response } = await answered(await gzipped(new Uint8Array(bytes)));
  let [total, longest] = [0, 0];
  for await (const { length } of response.stream()) [total, longest] = [total + length, Math.max(longest, length)];
  assertEquals(total, bytes);
  assert(longest <= 5 * 1024 * 1024, `a piece of ${longest} bytes`);
  transport.close();
});

Deno.test("httpTransport fails a malformed compressed body, and closes its connection", async () => {
  const { transport, socket, response } = await answered(encoder.encode('{"kind":"PodList"}'), { length: 1000 });
  await assertRejects(() => new Response(response.stream()).text(), TypeError);
  assertEquals([socket.isClosed, transport.counts().active], [true, 0]);
});

Deno.test("httpTransport fails a compressed body that is damaged", async () => {
  const body = await gzipped("a".repeat(100_000));
  body[body.length - 6] ^= 1; // in the checksum
  const { transport, response } = await answered(body);
  await assertRejects(() => new Response(response.stream()).text(), TypeError);
  transport.close();
});

Deno.test("httpTransport fails a compressed body that ends too early", async () => {
  const body = (await gzipped("a".repeat(100_000))).slice(0, -20);
  const whole = await answered(body);
  await assertRejects(() => new Response(whole.response.stream()).text(), TypeError);
  whole.transport.close();
  const cut = await answered(body, { length: body.length + 20 });
  cut.socket.end();
  const error = await assertRejects(() => new Response(cut.response.stream()).text(), ConnectionError);
  assertEquals(error.failure, "eof");
  cut.transport.close();
});

Deno.test("httpTransport closes the connection of a compressed body that is cancelled", async () => {
  const { transport, socket, response } = await answered(await gzipped("a".repeat(100_000)), { length: 1_000_000 });
  const reader = response.stream().getReader();
  assert((await reader.read()).value!.length > 0);
  await reader.cancel();
  assertEquals([socket.isClosed, transport.counts().active], [true, 0]);
});

Deno.test("httpTransport leaves a connection alone that a compressed body no longer needs when its stream is cancelled", async () => {
  const noise = crypto.getRandomValues(new Uint8Array(3000)); // which does not become shorter
  const { world, transport, sockets, response, send } = await answered(await gzipped(noise));
  const stream = response.stream();
  await world.clock.advance(0);
  assertEquals(transport.counts().idle, 1);
  const second = send("GET");
  await world.clock.advance(0);
  await stream.cancel();
  await world.clock.advance(0);
  sockets[0].push("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  assertEquals(await (await second).text(), "ok");
  assertEquals(sockets.length, 1);
  transport.close();
});

Deno.test("httpTransport asks for compressed answers to long requests, unless that is switched off", async () => {
  for (const disableCompression of [undefined, false, true]) {
    for (const isLong of [true, false]) {
      const { world, transport, sockets, send } = fakeTransport({ disableCompression });
      const sent = send("GET", "/", { isLong });
      await world.clock.advance(0);
      assertEquals(sockets[0].written.includes("accept-encoding: gzip\r\n"), isLong && !disableCompression);
      sockets[0].push("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      await sent;
      transport.close();
    }
  }
});

Deno.test("httpTransport decompresses text, up to the limit", async () => {
  const body = await gzipped("a".repeat(100_000));
  const whole = await answered(body);
  assertEquals((await whole.response.text()).length, 100_000);
  const cut = await answered(body);
  assert((await cut.response.text(1000)).startsWith("a"));
  assertEquals([whole.response.isCut, cut.response.isCut], [false, true]);
  for (const { transport } of [whole, cut]) transport.close();
});
