// What tells that a server can be reached again.
import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { PODS } from "../../../src/api/mod.ts";
import { ConnectionError, ServerOutages, StatusError, TransportClientBuilder } from "../../../src/client/mod.ts";

const refused = new ConnectionError("refused", "connection refused");

/** Outages that have ended after each of `outcomes`. */
function ends(...outcomes: readonly (number | Error)[]): number[] {
  const outages = new ServerOutages();
  let count = 0;
  outages.onEnd(() => count++);
  return outcomes.map((outcome) => {
    outages.note(typeof outcome === "number" ? { status: outcome } : outcome);
    return count;
  });
}

Deno.test("ServerOutages: an outage begins with a request that gets no answer, and ends with the next one that succeeds", () => {
  assertEquals(ends(200, 201), [0, 0]);
  for (const failure of ["refused", "reset", "eof", "timeout", "tls", "other"] as const) {
    assertEquals(ends(new ConnectionError(failure, "it is away"), 200, 200), [0, 1, 1], failure);
  }
  assertEquals(ends(refused, refused, 503, 500, 429, 403, 200, refused, 101), [0, 0, 0, 0, 0, 0, 1, 1, 2]);
  assertEquals(ends(new StatusError({ status: "Failure", code: 500, message: "connection refused" }), 200), [0, 0]);
  assertEquals(ends(new DOMException("given up", "AbortError"), 200), [0, 0]);
});

Deno.test("ServerOutages: when it ends, each listener is called once. Those that have been removed are not", () => {
  const outages = new ServerOutages();
  const called: string[] = [];
  const removals = ["a", "b"].map((name) => outages.onEnd(() => called.push(name)));
  const passes = () => {
    outages.note(refused);
    outages.note({ status: 200 });
  };
  passes();
  removals[0]();
  passes();
  removals[1]();
  passes();
  assertEquals(called, ["a", "b", "b"]);
});

Deno.test("TransportClientBuilder: all of them learn of the end of an outage by the first request that succeeds", async () => {
  let isAway = true;
  const transport = () =>
    isAway ? Promise.reject(refused) : Promise.resolve(Response.json({ metadata: { name: "p" } }));
  const world = new FakeWorld();
  const builder = new TransportClientBuilder({ world, program: "test", transport, server: "https://h" });
  const [one, other] = ["one", "other"].map((name) => builder.client(name));
  let isBack = false;
  one.outages.onEnd(() => isBack = true);
  const ref = { namespace: "n", name: "p" };
  await one.get(PODS, ref).catch(() => {});
  isAway = false;
  assertEquals(isBack, false);
  await other.get(PODS, ref);
  assertEquals(isBack, true);
});
