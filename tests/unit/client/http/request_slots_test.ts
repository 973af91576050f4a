import { assertEquals } from "@std/assert";
import { FakeClock, MetricsRegistry } from "../../../../src/base/mod.ts";
import { NAMESPACES } from "../../../../src/api/mod.ts";
import { RequestSlots } from "../../../../src/client/http/request_slots.ts";
import { Client, connectionFailureOf, trackConnections } from "../../../../src/client/mod.ts";
import { countListeners } from "../../base/listeners.ts";
import { outcomeOf } from "../test_server.ts";
import { fakeTransport, ORIGIN, response } from "../test_socket.ts";

function slotsFor(maxInFlight: number) {
  const clock = new FakeClock();
  return { clock, slots: new RequestSlots(clock, { maxInFlight, slowMs: 500 }) };
}

Deno.test("RequestSlots: at most maxInFlight requests hold a slot; further ones wait, and get one in the order in which they came", async () => {
  const { clock, slots } = slotsFor(2);
  const outcomes = [1, 2, 3, 4, 5].map(() => outcomeOf(slots.take()));
  await clock.advance(0);
  const settled = () => outcomes.map(({ isSettled }) => isSettled);
  assertEquals([settled(), slots.waiting], [[true, true, false, false, false], 3]);
  const late = outcomeOf(slots.take());
  slots.release(outcomes[1].value!);
  slots.release(outcomes[1].value!); // gives back no slot of another request
  await clock.advance(0);
  assertEquals([settled(), late.isSettled], [[true, true, true, false, false], false]);
  for (const { value } of [outcomes[0], outcomes[2]]) slots.release(value!);
  await clock.advance(0);
  assertEquals([settled(), late.isSettled, slots.waiting], [[true, true, true, true, true], false, 1]);
  slots.release(outcomes[3].value!);
  await clock.advance(0);
  assertEquals([late.isSettled, clock.pendingTimers], [true, 0]);
});

Deno.test("RequestSlots: a request holds its slot for slowMs at most: those that the server keeps waiting, for a webhook say, hold up no others", async () => {
  const { clock, slots } = slotsFor(2);
  const stuck = await slots.take();
  await clock.advance(300);
  await slots.take();
  const [third, fourth] = [outcomeOf(slots.take()), outcomeOf(slots.take())];
  await clock.advance(199);
  assertEquals([third.isSettled, fourth.isSettled], [false, false]);
  await clock.advance(1);
  assertEquals([third.isSettled, fourth.isSettled], [true, false]);
  slots.release(stuck); // whose slot another request has by now
  await clock.advance(299);
  assertEquals(fourth.isSettled, false);
  await clock.advance(1);
  assertEquals([fourth.isSettled, clock.pendingTimers], [true, 0]);
});

Deno.test("RequestSlots: an aborted signal takes a request out of the line, and so does close; a slot is never lost to one that has gone", async () => {
  const { clock, slots } = slotsFor(1);
  const held = await slots.take();
  const stop = new AbortController();
  const listeners = countListeners(stop.signal);
  const [gone, next, last] = [stop.signal, undefined, undefined].map((signal) => outcomeOf(slots.take(signal)));
  await clock.advance(0);
  stop.abort(new Error("stop"));
  await clock.advance(0);
  assertEquals([(gone.error as Error).message, slots.waiting, listeners.count], ["stop", 2, 0]);
  slots.release(held);
  await clock.advance(0);
  assertEquals([next.isSettled, last.isSettled], [true, false]);
  slots.close(new Error("closed"));
  await clock.advance(0);
  assertEquals([(last.error as Error).message, slots.waiting, clock.pendingTimers], ["closed", 0, 0]);
  const late = outcomeOf(slots.take(stop.signal));
  await clock.advance(0);
  assertEquals((late.error as Error).message, "stop");
});

Deno.test("httpTransport: requests wait for a slot among RequestSlots until their response has been read; watches need none", async () => {
  const { world, transport, sockets, send } = fakeTransport({ maxInFlight: 2 });
  const [first, second] = [send("GET", "/1"), send("POST", "/2", { body: "{}" })];
  const third = send("GET", "/3");
  const watch = send("GET", "/watch", { isWatch: true });
  await world.clock.advance(0);
  const paths = () =>
    sockets.map(({ written }) => written.match(/^\S+ (\/\w+) .*$/gm)?.map((line) => line.split(" ")[1]));
  assertEquals([paths(), transport.counts().waiting], [[["/watch"], ["/1"], ["/2"]], 1]);
  sockets[0].push("HTTP/1.1 200 OK\r\n\r\n");
  await (await watch).stream().cancel();
  sockets[1].push("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na");
  const response1 = await first;
  await world.clock.advance(0);
  assertEquals(transport.counts().waiting, 1);
  sockets[1].push("b");
  assertEquals(await response1.text(), "ab");
  await world.clock.advance(0);
  assertEquals([paths()[1], transport.counts().waiting], [["/1", "/3"], 0]);
  for (const socket of sockets.slice(1)) socket.push(response("x"));
  for (const sent of [second, third]) assertEquals(await (await sent).text(), "x");
  assertEquals(world.clock.pendingTimers, 1); // the pool's own
  transport.close();
});

Deno.test("httpTransport gives a slot back however a request ends, and fails those that wait for one when it is closed", async () => {
  let mayWrite = true;
  const { world, transport, sockets, send } = fakeTransport({
    maxInFlight: 1,
    beforeWrite: () => {
      if (!mayWrite) throw new Error("fenced");
    },
  });
  const outcome = (path: string, signal?: AbortSignal) =>
    outcomeOf(send("POST", path, { body: "{}", signal }).then((answer) => answer.text()));
  const reset = outcome("/reset");
  await world.clock.advance(0);
  mayWrite = false;
  const fenced = outcome("/fenced");
  sockets[0].reset();
  await world.clock.advance(0);
  assertEquals([connectionFailureOf(reset.error), (fenced.error as Error).message], ["reset", "fenced"]);
  mayWrite = true;
  const stop = new AbortController();
  const aborted = outcome("/aborted", stop.signal);
  const waiting = outcome("/waiting");
  await world.clock.advance(0);
  assertEquals(transport.counts().waiting, 1);
  stop.abort(new Error("stop"));
  await world.clock.advance(0);
  assertEquals([(aborted.error as Error).message, waiting.isSettled, transport.counts().waiting], ["stop", false, 0]);
  const late = outcome("/late");
  await world.clock.advance(0);
  transport.close();
  await world.clock.advance(0);
  assertEquals([connectionFailureOf(late.error), (late.error as Error).message], [
    "other",
    'Post "http://server.test/late": the transport is closed',
  ]);
  sockets.at(-1)!.push(response("x"));
  await world.clock.advance(0);
  assertEquals([waiting.value, world.clock.pendingTimers], ["x", 0]);
});

Deno.test("trackConnections shows the connections of several transports, and requests that wait for a slot", async () => {
  const [one, other] = [fakeTransport({ maxInFlight: 1 }), fakeTransport()];
  const metrics = new MetricsRegistry();
  trackConnections(metrics, [one.transport, other.transport]);
  const sent = [one.send("GET"), one.send("GET"), other.send("GET")].map((answer) => answer.then((it) => it.text()));
  for (const { world } of [one, other]) await world.clock.advance(0);
  other.sockets[0].push(response("x"));
  await sent[2];
  const shown = metrics.render().split("\n").filter((line) => line.startsWith("kubeloop_"));
  assertEquals(shown, [
    'kubeloop_api_server_connections{state="active"} 1',
    'kubeloop_api_server_connections{state="idle"} 1',
    "kubeloop_api_server_requests_waiting 1",
  ]);
  one.sockets[0].push(response("x") + response("y"));
  for (const { transport } of [one, other]) transport.close();
  await Promise.allSettled(sent);
});

Deno.test("Client: a request that has not ended in time throws ConnectionError with failure timeout, also where it waited for a slot", async () => {
  const { world, transport, sockets } = fakeTransport({ maxInFlight: 1, slowMs: 3_600_000 });
  const clientOf = (timeoutMs: number) =>
    new Client({ world, transport, server: ORIGIN, userAgent: "test", timeoutMs });
  const first = outcomeOf(clientOf(60_000).get(NAMESPACES, { name: "a" }));
  const late = outcomeOf(clientOf(30_000).get(NAMESPACES, { name: "b" }));
  await world.clock.advance(29_999);
  assertEquals([late.isSettled, transport.counts().waiting], [false, 1]);
  await world.clock.advance(1);
  assertEquals([connectionFailureOf(late.error), transport.counts().waiting], ["timeout", 0]);
  sockets[0].push(response("{}"));
  await world.clock.advance(0);
  assertEquals([first.value, sockets.length], [{}, 1]);
  assertEquals(sockets[0].written.includes("/namespaces/b"), false);
  transport.close();
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("httpTransport keeps the slot of a request that is sent once more", async () => {
  const { world, transport, sockets, send } = fakeTransport({ maxInFlight: 1 });
  const texts = ["/first", "/again", "/next"].map((path) => send("GET", path).then((answer) => answer.text()));
  await world.clock.advance(0);
  sockets[0].push(response("1"));
  await world.clock.advance(0);
  assertEquals(sockets[0].written.includes("/again"), true);
  sockets[0].end();
  await world.clock.advance(0);
  assertEquals([sockets.length, transport.counts().waiting], [2, 1]);
  sockets[1].push(response("2"));
  await world.clock.advance(0);
  sockets[1].push(response("3"));
  assertEquals([await Promise.all(texts), sockets.length], [["1", "2", "3"], 2]);
  transport.close();
});
