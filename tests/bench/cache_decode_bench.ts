import { PODS } from "../../src/api/mod.ts";
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { controllerIndexOf, nodeNameOf, SharedInformer } from "../../src/cache/mod.ts";
import { FrameDecoder } from "../../src/cache/frame_decoder.ts";
import { ManualSource } from "../unit/cache/fixtures.ts";
import { podFrames } from "./realistic_pod.ts";

const COUNT = 1000;
const frames = podFrames(COUNT, { type: "MODIFIED" });

/** From frames of realistic pods with managedFields; events per second = 1000 / time of one iteration. */
Deno.bench(`FrameDecoder decodes ${COUNT} pods`, () => {
  const decoder = new FrameDecoder(PODS);
  for (const frame of frames) decoder.decode(frame);
});

const source = new ManualSource();
const indexers = { node: nodeNameOf, controller: controllerIndexOf };
const informer = new SharedInformer({ world: systemWorld(new MemoryLogger()), resource: PODS, source, indexers });
let told = 0;
for (let i = 0; i < 3; i++) informer.addEventHandler({ onAdd: () => void told++, onUpdate: () => void told++ });
void informer.run(new AbortController().signal);
// Every round needs versions of its own: an update to the same version is news to nobody.
const rounds = [
  frames,
  podFrames(COUNT, { type: "MODIFIED" }).map((frame) => ({ ...frame, bytes: newer(frame.bytes) })),
];
let round = 0;

Deno.bench(`SharedInformer takes ${COUNT} events from frames to the store and three handlers`, async () => {
  const until = told + 3 * COUNT;
  const taken = source.sink.events(rounds[round++ % 2]);
  if (taken) await taken;
  while (told < until) await new Promise((resolve) => setTimeout(resolve, 0));
});

/** The same frame with a resource version that begins with another digit. */
function newer(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes);
  return new TextEncoder().encode(text.replace('"resourceVersion":"1', '"resourceVersion":"2'));
}
