import { assert, assertEquals } from "@std/assert";
import { CONFIGMAPS } from "../../../../src/api/mod.ts";
import { Deferred, FakeWorld, nextTurn } from "../../../../src/base/mod.ts";
import { packFrames } from "../../../../src/manager/hub/frame_batch.ts";
import { HubClient, type HubMessage, type SubscriberMessage } from "../../../../src/manager/hub/mod.ts";
import type { FrameSink } from "../../../../src/watch/mod.ts";
import { frame } from "./fixtures.ts";

/** A client with one subscription, whose sink writes down what it takes. */
function setUp() {
  const world = new FakeWorld();
  const said: SubscriberMessage[] = [];
  const client = new HubClient(world, { postMessage: (message) => said.push(message) });
  const taken: string[] = [];
  /** May throw, or return a promise. */
  const before = { events: (): void | Promise<void> => {} };
  const sink: FrameSink = {
    beginReplace: () => {
      taken.push("begin");
      return {
        events: (frames) => void taken.push(`list of ${frames.length}`),
        commit: (resourceVersion) => void taken.push(`commit ${resourceVersion}`),
        abort: () => void taken.push("abort"),
      };
    },
    async events(frames) {
      await before.events();
      taken.push(`${frames.length} events`);
    },
    bookmark: (resourceVersion) => void taken.push(`bookmark ${resourceVersion}`),
  };
  const stop = new AbortController();
  const running = client.source({ resource: CONFIGMAPS }).run(sink, stop.signal);
  const receive = (...messages: readonly Message[]) => {
    for (const message of messages) client.receive({ stream: 1, ...message } as HubMessage);
    return world.clock.advance(0);
  };
  const end = async () => {
    stop.abort();
    await running;
  };
  return { world, said, taken, before, receive, end };
}

type Message = HubMessage extends infer M ? M extends HubMessage ? Omit<M, "stream"> : never : never;

const events = (data?: string, isReplacement = false): Message => ({
  what: "frames",
  batch: packFrames([frame("ADDED", 6, data)]),
  isReplacement,
});
const LIST: readonly Message[] = [{ what: "begin" }, events("", true), { what: "commit", resourceVersion: "5" }];

Deno.test("HubClient: a sink gets the hub's messages in order, each when it has taken the one before", async () => {
  const { taken, before, receive, end } = setUp();
  const slow = new Deferred();
  before.events = () => slow.promise;
  await receive(...LIST, events(), { what: "bookmark", resourceVersion: "7" });
  assertEquals(taken, ["begin", "list of 1", "commit 5"]);
  slow.resolve();
  await receive();
  assertEquals(taken.slice(3), ["1 events", "bookmark 7"]);
  await end();
});

Deno.test("HubClient: a sink that fails gets the whole state again, after a backoff; until then nothing more", async () => {
  const { world, said, taken, before, receive, end } = setUp();
  await receive(...LIST);
  before.events = () => {
    throw new Error("no");
  };
  await receive(events());
  before.events = () => {};
  await receive(events(), { what: "bookmark", resourceVersion: "8" });
  await world.clock.advance(799);
  assertEquals([taken.splice(0), said.map(({ what }) => what)], [["begin", "list of 1", "commit 5"], ["subscribe"]]);
  await world.clock.advance(801);
  assertEquals(said.map(({ what }) => what), ["subscribe", "again"]);
  await receive(events(), ...LIST, events());
  assertEquals(taken, ["begin", "list of 1", "commit 5", "1 events"]);
  await end();
});

Deno.test("HubClient: every byte that was sent is reported as worked off, taken or not, once they are a megabyte", async () => {
  const { said, before, receive, end } = setUp();
  await receive(...LIST);
  before.events = () => {
    throw new Error("no");
  };
  const batches = [events("x".repeat(600_000)), events("y".repeat(600_000))];
  const [, list] = LIST;
  const bytes = [list, ...batches].reduce(
    (sum, each) => sum + (each.what === "frames" ? each.batch.bytes.byteLength : 0),
    0,
  );
  await receive(batches[0]);
  assertEquals(said.length, 1);
  await receive(batches[1]);
  assertEquals(said.slice(1), [{ stream: 1, what: "done", bytes }]);
  await end();
});

Deno.test("HubClient: however many messages wait, the event loop turns in between", async () => {
  const { world, taken, receive, end } = setUp();
  await receive(...LIST);
  const { clock } = world;
  const nowMs = clock.monotonicMs();
  let looks = 0;
  clock.monotonicMs = () => nowMs + 3 * ++looks; // a turn's 8 ms have passed at every third look
  const all = receive(...Array.from({ length: 100 }, () => events()));
  await nextTurn();
  const inOneTurn = taken.length - 3;
  assert(inOneTurn > 0 && inOneTurn < 20, `${inOneTurn} messages in one turn`);
  await all;
  while (taken.length < 103) await nextTurn();
  await end();
});
