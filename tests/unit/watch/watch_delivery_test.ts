import { assert, assertEquals } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { PODS } from "../../../src/api/mod.ts";
import type { FrameSink, WatchFrame } from "../../../src/watch/mod.ts";
import { gather } from "../../../src/watch/watch_delivery.ts";
import type { WatchStep, WatchStream } from "../../../src/watch/watch_stream.ts";
import { event } from "../cache/fixtures.ts";

/** A stream of these steps. */
function streamOf(steps: readonly WatchStep[]): WatchStream {
  const rest = [...steps];
  const stream = { next: () => Promise.resolve(rest.shift()!), becomeLive: () => {} };
  return stream as unknown as WatchStream; // all that is used of one
}

/** A sink that notes the sizes of what it is given, and the versions. */
class NotingSink implements FrameSink {
  readonly calls: string[] = [];
  readonly versions: string[] = [];

  beginReplace() {
    return {
      events: (given: readonly WatchFrame[]) => {
        this.calls.push(String(given.length));
        this.versions.push(...given.map(({ resourceVersion }) => resourceVersion));
      },
      commit: (resourceVersion: string) => void this.calls.push(`commit ${resourceVersion}`),
      abort: () => void this.calls.push("abort"),
    };
  }

  events(): void {}
  bookmark(): void {}
}

/** Pods of a kilobyte, each an event of its own. */
function* eventsOf(count: number): Generator<WatchStep> {
  for (let i = 1; i <= count; i++) {
    const metadata = { name: `p${i}`, resourceVersion: String(i), annotations: { note: "x".repeat(900) } };
    yield { what: "objects", frames: [event("ADDED", { kind: "Pod", apiVersion: "v1", metadata })] };
  }
}

async function gatherInto(sink: FrameSink, steps: readonly WatchStep[]) {
  const options = { world: new FakeWorld(), resource: PODS, sink, signal: new AbortController().signal };
  return await gather(streamOf(steps), options);
}

const END: WatchStep = { what: "bookmark", resourceVersion: "999", endsInitialEvents: true };

Deno.test("gather passes initial events on together, all of them before the commit, in the server's order", async () => {
  const sink = new NotingSink();
  assertEquals(await gatherInto(sink, [...eventsOf(200), END]), { what: "committed", resourceVersion: "999" });
  assertEquals(sink.versions, Array.from({ length: 200 }, (_, i) => String(i + 1)));
  assertEquals(sink.calls.at(-1), "commit 999");
  assert(sink.calls.length <= 6, `${sink.calls}`);
});

Deno.test("gather of a stream without events commits nothing but the version", async () => {
  const sink = new NotingSink();
  await gatherInto(sink, [END]);
  assertEquals(sink.calls, ["commit 999"]);
});

Deno.test("gather gives up what it collected when the stream ends too early", async () => {
  const sink = new NotingSink();
  const end: WatchStep = { what: "closed", insideFrame: false };
  assertEquals(await gatherInto(sink, [...eventsOf(3), end]), end);
  assertEquals(sink.calls, ["abort"]);
});
