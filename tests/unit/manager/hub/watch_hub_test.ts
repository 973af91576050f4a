import { assertEquals } from "@std/assert";
import { CONFIGMAPS } from "../../../../src/api/mod.ts";
import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import { WatchHub } from "../../../../src/manager/hub/mod.ts";
import type { FrameSink } from "../../../../src/watch/mod.ts";
import { frame, inWords } from "./fixtures.ts";

/** A watch that a hub has opened. */
interface Watch {
  readonly metadataOnly: boolean;
  readonly sink: FrameSink;
  readonly signal: AbortSignal;
}

/** A hub whose watches the test plays. */
async function setUp() {
  const world = new FakeWorld();
  const watches: Watch[] = [];
  const hub = new WatchHub({
    world,
    metrics: new MetricsRegistry(),
    source: ({ metadataOnly = false }) => ({
      run: (sink, signal) => {
        watches.push({ metadataOnly, sink, signal });
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      },
    }),
  });
  await Promise.resolve(); // whoever reads metadata only waits for the others until then
  const connect = (metadataOnly = false) => {
    const said: string[] = [];
    const connection = hub.connect("g", { postMessage: (message) => said.push(inWords(message)) });
    connection.receive({ stream: 1, what: "subscribe", topic: { resource: CONFIGMAPS, metadataOnly } });
    return { connection, said };
  };
  return { hub, watches, connect };
}

async function list(sink: FrameSink, resourceVersion: number): Promise<void> {
  const replacement = sink.beginReplace();
  await replacement.events([frame("", resourceVersion)]);
  await replacement.commit(String(resourceVersion));
}

const LISTED = ["begin", "list @5", "commit 5"];

Deno.test("WatchHub: a topic is watched once, however many groups subscribe, from the first subscription to the last one's end", async () => {
  const { hub, watches, connect } = await setUp();
  const [one, two] = [connect(), connect()];
  assertEquals(watches.length, 1);
  await list(watches[0].sink, 5);
  assertEquals([one.said, two.said], [LISTED, LISTED]);
  one.connection.receive({ stream: 1, what: "unsubscribe" });
  assertEquals(watches[0].signal.aborted, false);
  two.connection.close();
  assertEquals(watches[0].signal.aborted, true);
  connect();
  assertEquals(watches.length, 2);
  await hub.shutDown();
});

Deno.test("WatchHub: a subscription to metadata only is served by the watch of one that reads all, where there is one", async () => {
  const { hub, watches, connect } = await setUp();
  const whole = connect();
  const metadata = connect(true);
  assertEquals(watches.map(({ metadataOnly }) => metadataOnly), [false]);
  await list(watches[0].sink, 5);
  assertEquals(metadata.said, LISTED);
  whole.connection.close();
  metadata.connection.close();
  connect(true);
  assertEquals(watches.map(({ metadataOnly }) => metadataOnly), [false, true]);
  await hub.shutDown();
});

Deno.test("WatchHub: a group that starts again subscribes again and gets the whole state", async () => {
  const { hub, watches, connect } = await setUp();
  const [staying, first] = [connect(), connect()];
  await list(watches[0].sink, 5);
  first.connection.close();
  const again = connect();
  assertEquals(watches.length, 2, "a list of its own");
  await list(watches[1].sink, 6);
  for (let i = 0; i < 5; i++) await Promise.resolve();
  assertEquals(again.said, ["begin", "list @6", "commit 6"]);
  await watches[0].sink.events([frame("ADDED", 7)]);
  assertEquals([again.said.at(-1), staying.said.at(-1), first.said], ["live ADDED@7", "live ADDED@7", LISTED]);
  await hub.shutDown();
});

Deno.test("WatchHub: after shutDown nothing is watched and nothing is sent", async () => {
  const { hub, watches, connect } = await setUp();
  const { said } = connect();
  await list(watches[0].sink, 5);
  connect(); // its list is under way
  await hub.shutDown();
  assertEquals(watches.map(({ signal }) => signal.aborted), [true, true]);
  await watches[0].sink.events([frame("ADDED", 6)]);
  await list(watches[1].sink, 6);
  assertEquals(said, LISTED);
});
