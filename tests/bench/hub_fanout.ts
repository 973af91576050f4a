// deno-lint-ignore-file no-console -- it is there to print
/**
 * How many bytes of a watch pass per second from the wire through scanner, hub and four groups' threads.
 * Run: `deno run --allow-read --unstable-worker-options tests/bench/hub_fanout.ts`.
 */
import { createLogger } from "../../src/log/mod.ts";
import { MetricsRegistry, systemWorld } from "../../src/base/mod.ts";
import { type HubMessage, type SubscriberMessage, WatchHub } from "../../src/manager/hub/mod.ts";
import { Outbox } from "../../src/manager/groups/outbox.ts";
import { type FrameSink, JsonFrameScanner, type WatchFrame } from "../../src/watch/mod.ts";
import { realisticPod } from "./realistic_pod.ts";

const GROUPS = 4;
const CHUNK_BYTES = 64 * 1024;
const TOTAL_BYTES = 512 * 1024 * 1024;
/** What may be under way before the source waits for the groups. */
const WINDOW_BYTES = 8 * 1024 * 1024;
/** Groups say what they have taken in steps of this. */
const REPORTED_BYTES = 1024 * 1024;

const world = systemWorld(createLogger({ format: "text", verbosity: 0, pid: Deno.pid }));
const events = Array.from({ length: 100 }, (_, i) => JSON.stringify({ type: "MODIFIED", object: realisticPod(i) }));
const stream = new TextEncoder().encode(events.join("\n") + "\n");
const taken = new Array<number>(GROUPS).fill(0);
let onTaken = () => {};

async function feed(sink: FrameSink): Promise<number> {
  await sink.beginReplace().commit("1");
  const scanner = new JsonFrameScanner({ resource: "pods" });
  let sent = 0;
  let perGroup = 0;
  const underWay = () => perGroup - Math.min(...taken);
  const untilUnderWay = async (bytes: number) => {
    while (underWay() > bytes) await new Promise<void>((resolve) => onTaken = resolve);
  };
  while (sent < TOTAL_BYTES) {
    for (let at = 0; at < stream.length; at += CHUNK_BYTES) {
      const frames: WatchFrame[] = [];
      scanner.push(stream.slice(at, at + CHUNK_BYTES), frames);
      await sink.events(frames);
      for (const { bytes, cutStart, cutEnd } of frames) perGroup += bytes.length - (cutEnd - cutStart);
      await untilUnderWay(WINDOW_BYTES);
      sent += Math.min(CHUNK_BYTES, stream.length - at);
    }
  }
  await untilUnderWay(REPORTED_BYTES);
  return sent;
}

const done = Promise.withResolvers<void>();
const subscribed = Promise.withResolvers<void>();
const hub = new WatchHub({
  world,
  metrics: new MetricsRegistry(),
  source: () => ({
    run: async (sink) => {
      await subscribed.promise;
      const start = performance.now();
      const bytes = await feed(sink);
      const seconds = (performance.now() - start) / 1000;
      const rate = (n: number) => `${(n / 1e6 / seconds).toFixed(0)} MB/s`;
      const delivered = taken.reduce((sum, n) => sum + n, 0);
      console.log(`in ${rate(bytes)}, to ${GROUPS} groups together ${rate(delivered)} (without managedFields)`);
      done.resolve();
    },
    get stalenessMs() {
      return undefined;
    },
  }),
});
let subscriptions = 0;
const workers = taken.map((_, i) => {
  const worker = new Worker(new URL("./hub_fanout_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: "none" },
  });
  const connection = hub.connect(`group-${i}`, new Outbox<HubMessage>(worker, { clock: world.clock, pauseMs: 10 }));
  worker.onmessage = ({ data }: MessageEvent<readonly SubscriberMessage[]>) => {
    for (const message of data) {
      connection.receive(message);
      if (message.what === "done") {
        taken[i] += message.bytes;
        onTaken();
      }
      if (message.what === "subscribe" && ++subscriptions === GROUPS) subscribed.resolve();
    }
  };
  return worker;
});
await done.promise;
for (const worker of workers) worker.terminate();
await hub.shutDown();
