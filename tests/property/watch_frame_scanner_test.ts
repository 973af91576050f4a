import { assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import { FrameError, JsonFrameReader, JsonFrameScanner, ListReader, type WatchFrame } from "../../src/watch/mod.ts";
import { readJson } from "./read_json.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** JSON text of any value, with white space wherever JSON allows it and, at times, needless escapes in strings. */
const anyJson = (value: unknown): fc.Arbitrary<string> =>
  fc.record({ seed: fc.integer(), spaced: fc.boolean(), escaped: fc.boolean() }).map(({ seed, spaced, escaped }) => {
    let state = seed >>> 0;
    const dice = (n: number) => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % n;
    const gap = () => spaced && dice(3) === 0 ? [" ", "\n", "\t\r\n", "  "][dice(4)] : "";
    const text = (s: string) =>
      escaped && s.length > 0 && dice(2) === 0
        ? '"' + [...Array(s.length).keys()].map((i) => `\\u${s.charCodeAt(i).toString(16).padStart(4, "0")}`).join("") +
          '"'
        : JSON.stringify(s);
    const write = (v: unknown): string => {
      if (typeof v === "string") return text(v);
      if (Array.isArray(v)) return `[${gap()}${v.map((x) => write(x) + gap()).join("," + gap())}]`;
      if (typeof v !== "object" || v === null) return JSON.stringify(v);
      const members = Object.entries(v).map(([k, x]) => text(k) + gap() + ":" + gap() + write(x) + gap());
      return `{${gap()}${members.join("," + gap())}}`;
    };
    return write(value);
  });

/** Values with the characters that could mislead a scanner. */
const tricky = fc.oneof(
  fc.string({
    unit: fc.constantFrom("{", "}", "[", "]", '"', "\\", ",", ":", "a", "é", "😀", "\u0000", "\n"),
    maxLength: 40,
  }),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const value = fc.oneof(
  { weight: 2, arbitrary: tricky },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const text = fc.oneof(tricky, fc.constantFrom("ADDED", "Pod", "v1", "12345"));

/** An object whose known keys come anywhere among others. */
function shuffled(known: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> {
  const keys = fc.oneof(tricky, fc.constantFrom("spec", "typ", "kin", "items2"));
  const others = fc.dictionary(keys, value, { maxKeys: 4 });
  return fc.tuple(fc.record(known), others, fc.integer()).map(([record, rest, seed]) => {
    const entries = [...Object.entries(rest).filter(([k]) => !(k in known)), ...Object.entries(record)]
      .filter(([k, v]) => v !== undefined && k !== "__proto__" && !/^\d+$/.test(k));
    entries.sort(([a], [b]) =>
      (Math.imul(seed, a.length + a.charCodeAt(0)) & 255) - (Math.imul(seed, b.length + b.charCodeAt(0)) & 255)
    );
    return Object.fromEntries(entries);
  });
}

const metadata = fc.oneof(
  { weight: 5, arbitrary: shuffled({ resourceVersion: maybe(text), managedFields: maybe(value), name: maybe(text) }) },
  { weight: 1, arbitrary: value },
);
const kubeObject = shuffled({ kind: maybe(text), apiVersion: maybe(text), metadata: maybe(metadata) });
const event = shuffled({
  type: maybe(fc.oneof(text, value)),
  object: maybe(fc.oneof({ weight: 5, arbitrary: kubeObject }, value)),
});

const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 });

/** The text's bytes in chunks of the given sizes, again and again. */
function* chunks(text: string, sizes: readonly number[]): Generator<Uint8Array> {
  const bytes = encoder.encode(text);
  for (let at = 0, i = 0; at < bytes.length; i++) yield bytes.slice(at, at += sizes[i % sizes.length]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const stringIn = (value: unknown, key: string) => isRecord(value) && typeof value[key] === "string" ? value[key] : "";

/** What a frame must have said about `object`, and be left with when its cut range is taken out. */
function assertPeeks(frame: WatchFrame, object: unknown, whole: unknown) {
  assertEquals(readJson(decoder.decode(frame.bytes)), whole);
  assertEquals(frame.kind, stringIn(object, "kind"));
  assertEquals(frame.apiVersion, stringIn(object, "apiVersion"));
  const meta = isRecord(object) ? object.metadata : undefined;
  assertEquals(frame.resourceVersion, stringIn(meta, "resourceVersion"));
  const { bytes, objectStart, objectEnd, cutStart, cutEnd } = frame;
  if (!isRecord(object)) return assertEquals([objectStart, cutStart], [objectEnd, cutEnd]);
  assertEquals(readJson(decoder.decode(bytes.subarray(objectStart, objectEnd))), object);
  assertEquals(cutEnd > cutStart, isRecord(meta) && "managedFields" in meta);
  if (cutEnd === cutStart) return;
  const left = decoder.decode(bytes.subarray(objectStart, cutStart)) +
    decoder.decode(bytes.subarray(cutEnd, objectEnd));
  const { managedFields: _, ...rest } = meta as Record<string, unknown>;
  assertEquals(readJson(left), { ...object, metadata: rest });
}

Deno.test("JsonFrameScanner: the frames are the same however the bytes are cut into chunks; type, kind, apiVersion and resourceVersion are those JSON.parse would give", () => {
  const stream = fc.array(event, { maxLength: 4 }).chain((events) =>
    fc.tuple(fc.constant(events), fc.tuple(...events.map(anyJson)), fc.constantFrom("\n", "", " \r\n\t", "\n\n"))
  );
  fc.assert(
    fc.property(stream, sizes, ([events, texts, between], sizes) => {
      const scanner = new JsonFrameScanner({ resource: "pods" });
      const frames: WatchFrame[] = [];
      for (const chunk of chunks(between + texts.map((t) => t + between).join(""), sizes)) scanner.push(chunk, frames);
      assertEquals(frames.length, events.length);
      assertEquals(scanner.isInsideFrame, false);
      for (const [i, frame] of frames.entries()) {
        assertEquals(frame.type, stringIn(events[i], "type"));
        assertPeeks(frame, events[i].object, events[i]);
      }
    }),
    { numRuns: 1000 },
  );
});

Deno.test("ListReader: the items are those of items, in order, whatever the order of the document's keys, however the bytes are cut", () => {
  const listMeta = shuffled({
    resourceVersion: maybe(text),
    continue: maybe(text),
    remainingItemCount: maybe(fc.nat()),
  });
  const kind = text.filter((kind) => kind !== "" && kind !== "Status" && kind !== "Table");
  const list = shuffled({
    kind,
    apiVersion: maybe(text),
    metadata: maybe(listMeta),
    items: maybe(fc.oneof(fc.constant(null), fc.array(kubeObject, { maxLength: 5 }))),
  }).chain((list) => fc.tuple(fc.constant(list), anyJson(list)));
  fc.assert(
    fc.property(list, sizes, ([list, text], sizes) => {
      const reader = new ListReader({ resource: "pods" });
      const frames: WatchFrame[] = [];
      for (const chunk of chunks(` ${text}\n`, sizes)) reader.push(chunk, frames);
      const items = Array.isArray(list.items) ? list.items : [];
      assertEquals(frames.length, items.length);
      for (const [i, frame] of frames.entries()) {
        assertEquals(frame.type, "");
        assertEquals([frame.objectStart, frame.objectEnd], [0, frame.bytes.length]);
        assertPeeks(frame, items[i], items[i]);
      }
      const meta = isRecord(list.metadata) ? list.metadata : {};
      assertEquals(reader.end(), {
        kind: stringIn(list, "kind"),
        apiVersion: stringIn(list, "apiVersion"),
        resourceVersion: stringIn(meta, "resourceVersion"),
        continue: stringIn(meta, "continue"),
        remainingItemCount: meta.remainingItemCount ?? 0,
      });
    }),
    { numRuns: 500 },
  );
});

const garbage = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.string({ unit: fc.constantFrom(...'{}[]",:\\ \n0a'), maxLength: 300 }).map((s) => encoder.encode(s)),
  fc.string({
    unit: fc.constantFrom('"items":[', '"object":{', '"metadata":{', '{"kind":', "{", "}", "]", '"', ",", "\\"),
  })
    .map((s) => encoder.encode("{" + s)),
);

Deno.test("JsonFrameScanner and ListReader throw nothing but FrameError on arbitrary bytes, at the same byte for any cut", () => {
  fc.assert(
    fc.property(garbage, fc.integer({ min: 1, max: 40 }), fc.boolean(), (bytes, size, isList) => {
      const outcome = (size: number) => {
        const scanner = isList ? new ListReader({ resource: "pods" }) : new JsonFrameScanner({ resource: "pods" });
        const frames: WatchFrame[] = [];
        try {
          for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.slice(at, at + size), frames);
        } catch (error) {
          if (!(error instanceof FrameError)) throw error;
          return { frames: frames.map((f) => decoder.decode(f.bytes)), position: error.position };
        }
        return { frames: frames.map((f) => decoder.decode(f.bytes)) };
      };
      assertEquals(outcome(size), outcome(bytes.length + 1));
    }),
    { numRuns: 2000 },
  );
});

Deno.test("JsonFrameReader delivers every frame before the fault, then errors", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 3 }), sizes, async (events, sizes) => {
      const text = events.map((e) => JSON.stringify(e)).join("\n") + "]";
      const frames: WatchFrame[] = [];
      let error: unknown;
      try {
        const body = ReadableStream.from(chunks(text, sizes));
        for await (const some of body.pipeThrough(new JsonFrameReader({ resource: "pods" }))) frames.push(...some);
      } catch (e) {
        error = e;
      }
      if (!(error instanceof FrameError)) throw error;
      assertEquals(error.position, encoder.encode(text).length - 1);
      assertEquals(frames.length, events.length);
    }),
    { numRuns: 100 },
  );
});
