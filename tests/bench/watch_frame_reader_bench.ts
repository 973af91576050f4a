/**
 * How fast a watch's bytes become frames, next to what it would cost to parse every event: 300 pods of about 5 KB, with
 * their managedFields, as kube-apiserver v1.36 sends them. The aim is three times the throughput of JSON.parse.
 */
import { JsonFrameReader, JsonFrameScanner, ListReader, type WatchFrame } from "../../src/watch/mod.ts";
import { realisticPod } from "./realistic_pod.ts";

const PODS = 300;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const objects = Array.from({ length: PODS }, (_, i) => realisticPod(i));
const events = objects.map((object) => encoder.encode(JSON.stringify({ type: "MODIFIED", object }) + "\n"));
const watch = encoder.encode(events.map((event) => decoder.decode(event)).join(""));
const items = objects.map(({ kind: _kind, apiVersion: _apiVersion, ...item }) => item);
const list = encoder.encode(
  JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "9" }, items }),
);

function* chunksOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function expect(count: number) {
  if (count !== PODS) throw new Error(`read ${count} pods instead of ${PODS}`);
}

const group = `${PODS} pods, ${(watch.length / PODS / 1000).toFixed(1)} KB each`;

Deno.bench({
  name: "JSON.parse",
  group,
  baseline: true,
  fn() {
    let count = 0;
    for (const event of events) if (JSON.parse(decoder.decode(event))) count++;
    expect(count);
  },
});

for (const size of [4, 16, 64, 1024]) {
  Deno.bench({
    name: `JsonFrameScanner, chunks of ${size} KiB`,
    group,
    fn() {
      const scanner = new JsonFrameScanner({ resource: "pods" });
      const frames: WatchFrame[] = [];
      for (const chunk of chunksOf(watch, size * 1024)) scanner.push(chunk, frames);
      expect(frames.length);
    },
  });
}

Deno.bench({
  name: "JsonFrameReader, chunks of 64 KiB",
  group,
  async fn() {
    let count = 0;
    const body = ReadableStream.from(chunksOf(watch, 64 * 1024));
    for await (const frames of body.pipeThrough(new JsonFrameReader({ resource: "pods" }))) count += frames.length;
    expect(count);
  },
});

Deno.bench({
  name: "ListReader, chunks of 64 KiB",
  group,
  fn() {
    const reader = new ListReader({ resource: "pods" });
    const frames: WatchFrame[] = [];
    for (const chunk of chunksOf(list, 64 * 1024)) reader.push(chunk, frames);
    reader.end();
    expect(frames.length);
  },
});

Deno.bench({
  name: "JSON.parse of the whole list",
  group,
  fn() {
    expect(JSON.parse(decoder.decode(list)).items.length);
  },
});
