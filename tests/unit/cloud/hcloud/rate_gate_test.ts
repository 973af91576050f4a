import { assertEquals, assertRejects } from "@std/assert";
import { FakeClock } from "../../../../src/base/mod.ts";
import { RetryError } from "../../../../src/cloud/mod.ts";
import { RateGate } from "../../../../src/cloud/hcloud/rate_gate.ts";

const signal = new AbortController().signal;

/** A gate, and when requests passed it, in seconds. */
function gateAt() {
  const clock = new FakeClock();
  const gate = new RateGate(clock);
  const passed: number[] = [];
  const pass = async () => {
    const ticket = await gate.pass(signal);
    passed.push(clock.monotonicMs() / 1000);
    return ticket;
  };
  const hear = (ticket: number, status: number, headers: Record<string, string> = {}) =>
    gate.heard(ticket, status, new Headers(headers));
  return { clock, gate, passed, pass, hear };
}

Deno.test("RateGate: after a refusal (429) nothing passes for as long as the answer says", async () => {
  const { clock, passed, pass, hear } = gateAt();
  hear(await pass(), 429, { "Retry-After": "7" });
  const next = pass();
  await clock.advance(60_000);
  await next;
  assertEquals(passed, [0, 7]);
});

/** How many seconds a request waits after each of so many refusals in a row. */
async function waitsAfter(refusals: number, headers: (clock: FakeClock) => Record<string, string>): Promise<number[]> {
  const { clock, passed, pass, hear } = gateAt();
  let ticket = await pass();
  const waits: number[] = [];
  for (let i = 0; i < refusals; i++) {
    const refusedAt = clock.monotonicMs() / 1000;
    hear(ticket, 429, headers(clock));
    const next = pass();
    await clock.advance(9000);
    ticket = await next;
    waits.push(passed.at(-1)! - refusedAt);
  }
  return waits;
}

Deno.test("a gate that is told no time waits for a second, then two, then four, then eight", async () => {
  assertEquals(await waitsAfter(4, () => ({})), [1, 2, 4, 8]);
});

Deno.test("a gate waits no longer than until RateLimit-Reset", async () => {
  const inThreeSeconds = (clock: FakeClock) => ({ "RateLimit-Reset": String(clock.wallMs() / 1000 + 3) });
  assertEquals(await waitsAfter(4, inThreeSeconds), [1, 2, 3, 3]);
});

Deno.test("RateGate: while few requests remain (RateLimit-Remaining), they are spread", async () => {
  const { clock, passed, pass, hear } = gateAt();
  const headers = { "RateLimit-Limit": "1800", "RateLimit-Remaining": "3" };
  hear(await pass(), 200, headers);
  const next = [pass(), pass(), pass(), pass()];
  await clock.advance(10_000);
  hear((await Promise.all(next))[0], 200, { ...headers, "RateLimit-Remaining": "1000" });
  await clock.advance(2000);
  await Promise.all([pass(), pass()]);
  assertEquals(passed, [0, 0, 2, 4, 6, 12, 12]);
});

Deno.test("RateGate: whoever would wait longer than ten seconds gets a RetryError with that time instead", async () => {
  const { clock, pass, hear } = gateAt();
  hear(await pass(), 429, { "Retry-After": "900" });
  assertEquals((await assertRejects(pass, RetryError)).afterMs, 900_000);
  await clock.advance(300_000);
  assertEquals((await assertRejects(pass, RetryError)).afterMs, 600_000);
});

Deno.test("requests that are refused together count once", async () => {
  const { clock, passed, pass, hear } = gateAt();
  const tickets = await Promise.all(Array.from({ length: 10 }, pass));
  for (const ticket of tickets) hear(ticket, 429);
  const next = pass();
  await clock.advance(1000);
  await next;
  assertEquals(passed.at(-1), 1);
});
