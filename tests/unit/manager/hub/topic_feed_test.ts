import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import type { FrameSource } from "../../../../src/cache/mod.ts";
import { packFrames, unpackFrames } from "../../../../src/manager/hub/frame_batch.ts";
import { Subscription } from "../../../../src/manager/hub/subscription.ts";
import { TopicFeed } from "../../../../src/manager/hub/topic_feed.ts";
import { type FrameSink, JsonFrameScanner, type WatchFrame } from "../../../../src/watch/mod.ts";
import { frame, inWords } from "./fixtures.ts";

/** A source whose frames the test gives. */
interface Source {
  readonly sink: FrameSink;
  /** The source ends, as it does when its signal aborts, but when the test says. */
  end(): void;
}

function setUp() {
  const sources: Source[] = [];
  const source = (): FrameSource => ({
    run: (sink) => new Promise((resolve) => sources.push({ sink, end: resolve })),
  });
  const world = new FakeWorld();
  const lagging: Subscription[] = [];
  const feed = new TopicFeed({ world, source, onLagging: (subscription) => lagging.push(subscription) });
  const subscribe = () => {
    const said: string[] = [];
    const subscription = new Subscription({ postMessage: (message) => said.push(inWords(message)) }, {
      group: "g",
      stream: 1,
      isMetadataOnly: false,
    });
    feed.add(subscription);
    return { subscription, said };
  };
  return { world, feed, sources, lagging, subscribe };
}

async function list({ sink }: Source, resourceVersion: number): Promise<void> {
  const replacement = sink.beginReplace();
  await replacement.events([frame("ADDED", resourceVersion)]);
  await replacement.commit(String(resourceVersion));
}

Deno.test("TopicFeed: a subscription that comes late, or falls behind, gets a list of its own first, no older than what the others have seen; older changes are not shown after it", async () => {
  const { feed, sources, subscribe } = setUp();
  subscribe();
  await list(sources[0], 10);
  const late = subscribe();
  await list(sources[1], 15);
  sources[1].end();
  await Promise.resolve();
  await Promise.resolve();
  await feed.events([frame("MODIFIED", 12), frame("DELETED", 14)]);
  feed.bookmark("14");
  await feed.events([frame("MODIFIED", 15), frame("ADDED", 16)]);
  feed.bookmark("16");
  await feed.events([frame("MODIFIED", 17)]);
  assertEquals(late.said, [
    "begin",
    "list ADDED@15",
    "commit 15",
    "live ADDED@16",
    "bookmark 16",
    "live MODIFIED@17",
  ]);
  const closed = feed.close();
  sources[0].end();
  await closed;
});

Deno.test("TopicFeed starts over when its source gives one list up for another, also for a subscription that joins", async () => {
  const { feed, sources, subscribe } = setUp();
  const listTwice = async (source: Source, resourceVersion: number) => {
    const givenUp = source.sink.beginReplace();
    await givenUp.events([frame("ADDED", 1)]);
    givenUp.abort();
    await list(source, resourceVersion);
  };
  const first = subscribe();
  await listTwice(sources[0], 10);
  const late = subscribe();
  await listTwice(sources[1], 15);
  sources[1].end();
  for (let i = 0; i < 5; i++) await Promise.resolve();
  await feed.events([frame("MODIFIED", 16)]);
  const after = (version: number) => ["begin", "list ADDED@1", "begin", `list ADDED@${version}`, `commit ${version}`];
  assertEquals(first.said, [...after(10), "live MODIFIED@16"]);
  assertEquals(late.said, [...after(15), "live MODIFIED@16"]);
  const closed = feed.close();
  sources[0].end();
  await closed;
});

Deno.test("TopicFeed: the end of a list that was given up is not taken for that of the one after it", async () => {
  const { feed, sources, subscribe } = setUp();
  subscribe();
  await list(sources[0], 10);
  const late = subscribe();
  await list(sources[1], 11);
  feed.again(late.subscription);
  sources[1].end();
  await feed.events([frame("MODIFIED", 12)]);
  for (let i = 0; i < 5; i++) await Promise.resolve();
  assertEquals(late.said, ["begin", "list ADDED@11"], "nothing is committed yet");
  await list(sources[2], 11);
  sources[2].end();
  for (let i = 0; i < 5; i++) await Promise.resolve();
  assertEquals(late.said.slice(2), ["begin", "list ADDED@11", "commit 11", "live MODIFIED@12"]);
  const closed = feed.close();
  sources[0].end();
  await closed;
});

Deno.test("TopicFeed: a subscription that takes nothing any more is sent a bounded number of bytes, then a list of its own", async () => {
  const { feed, sources, subscribe } = setUp();
  const { subscription, said } = subscribe();
  await list(sources[0], 1);
  let sent = 0;
  const large = frame("MODIFIED", 2, "x".repeat(1024 * 1024));
  for (let i = 0; i < 200; i++) await feed.events([large]);
  sent = said.filter((what) => what === "live MODIFIED@2").length;
  assertEquals([sent > 60 && sent < 68, subscription.state, sources.length], [true, "lagging", 1]);
  subscription.done(sent * large.bytes.length);
  for (let i = 0; i < 5; i++) await Promise.resolve();
  assertEquals([subscription.state, sources.length, said.at(-1)], ["joining", 1 + 1, "live MODIFIED@2"]);
  const closed = feed.close();
  for (const source of sources) source.end();
  await closed;
});

const LARGE = frame("ADDED", 2, "x".repeat(1024 * 1024));

/** Gives objects of 1 MiB to two subscriptions, one of which takes them at once, until reading waits. */
function listOfTwo() {
  const { subscribe, sources, ...rest } = setUp();
  const [slow, quick] = [subscribe(), subscribe()];
  const replacement = sources[0].sink.beginReplace();
  const sent = () => slow.said.length - 1;
  const readOn = () => {
    for (;;) {
      let isRead = false;
      const wait = replacement.events([LARGE]);
      quick.subscription.done(LARGE.bytes.length);
      if (wait) return { wait: wait.then(() => isRead = true), isRead: () => isRead };
    }
  };
  return { ...rest, sources, slow, quick, sent, readOn };
}

Deno.test("TopicFeed: a list is read no faster than its slowest subscription takes it, unless that one takes nothing for some seconds: a second list would cost all of them more", async () => {
  const { world, feed, sources, lagging, slow, quick, sent, readOn } = listOfTwo();
  const first = readOn();
  for (let i = 0; i < 3; i++) {
    await world.clock.advance(4_999);
    assertEquals(first.isRead(), false);
    slow.subscription.done(LARGE.bytes.length);
  }
  slow.subscription.done((sent() - 3) * LARGE.bytes.length);
  await first.wait;
  assertEquals([lagging, slow.said.length, sources.length], [[], quick.said.length, 1]);

  const second = readOn();
  await world.clock.advance(5_000);
  await second.wait;
  assertEquals([lagging, slow.subscription.state, quick.subscription.state], [
    [slow.subscription],
    "lagging",
    "replacing",
  ]);
  assertEquals(slow.said.length + 1, quick.said.length, "what was read meanwhile");
  assertEquals(world.clock.pendingTimers, 0);
  const closed = feed.close();
  sources[0].end();
  await closed;
});

Deno.test("TopicFeed waits for room of no subscription that has left, nor when it is closed", async () => {
  const { world, feed, sources, lagging, slow, readOn } = listOfTwo();
  const left = readOn();
  feed.remove(slow.subscription);
  await left.wait;
  const other = listOfTwo();
  const ended = other.readOn();
  const closed = Promise.all([feed.close(), other.feed.close()]);
  await ended.wait;
  assertEquals([lagging, other.lagging, world.clock.pendingTimers, other.world.clock.pendingTimers], [[], [], 0, 0]);
  for (const source of [...sources, ...other.sources]) source.end();
  await closed;
});

Deno.test("TopicFeed: no frame is parsed", async () => {
  const { feed, sources, subscribe } = setUp();
  const { said } = subscribe();
  const bytes = new TextEncoder().encode('{"type":"ADDED","object":{no JSON}}');
  const noJson = { ...frame("ADDED", 3), bytes, objectStart: 25, objectEnd: bytes.length - 1 };
  const replacement = sources[0].sink.beginReplace();
  await replacement.events([noJson]);
  await replacement.commit("3");
  await feed.events([noJson]);
  assertEquals(said, ["begin", "list ADDED@3", "commit 3", "live ADDED@3"]);
  const closed = feed.close();
  sources[0].end();
  await closed;
});

Deno.test("packFrames keeps frames apart whose kind or version holds the end of a line", () => {
  const frames: WatchFrame[] = [];
  const events = [
    '{"type":"ADDED","object":{"kind":"Pod\\nx","apiVersion":"v1\\t"}}',
    '{"type":"DELETED","object":{}}',
  ];
  new JsonFrameScanner({ resource: "pods" }).push(new TextEncoder().encode(events.join("\n")), frames);
  const unpacked = unpackFrames(packFrames(frames)).map(({ type, kind, apiVersion }) => [type, kind, apiVersion]);
  assertEquals(unpacked, [["ADDED", "Pod x", "v1 "], ["DELETED", "", ""]]);
});
