import { assert, assertEquals, assertThrows } from "@std/assert";
import { StatusError } from "../../../src/client/mod.ts";
import { FrameError, JsonFrameReader, JsonFrameScanner, ListReader, type WatchFrame } from "../../../src/watch/mod.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

type Part = string | Uint8Array;
const bytesOf = (part: Part) => typeof part === "string" ? encoder.encode(part) : part;

function scan(...parts: Part[]): WatchFrame[] {
  const scanner = new JsonFrameScanner({ resource: "pods" });
  const frames: WatchFrame[] = [];
  for (const part of parts) scanner.push(bytesOf(part), frames);
  return frames;
}

const parsed = (frame: WatchFrame) => JSON.parse(decoder.decode(frame.bytes));

Deno.test("JsonFrameScanner keeps a string together that holds braces, quotes and a chunk boundary", () => {
  const frames = scan('{"type":"ADDED","object":{"a":"}', '\\"{"}}');
  assertEquals(frames.map(parsed), [{ type: "ADDED", object: { a: '}"{' } }]);
});

Deno.test("JsonFrameScanner takes a quote for escaped when the backslash ended the chunk before", () => {
  assertEquals(scan('{"type":"ADDED","object":{"a":"\\', '"'), []);
  const [frame] = scan('{"type":"ADDED","object":{"a":"\\', '"}"}}');
  assertEquals(parsed(frame).object, { a: '"}' });
});

Deno.test("JsonFrameScanner gives whole characters when a chunk ends inside one", () => {
  const bytes = encoder.encode('{"type":"ADDED","object":{"a":"😀"}}');
  const at = bytes.indexOf(0xf0) + 1;
  assertEquals(scan(bytes.subarray(0, at), bytes.subarray(at)).map(parsed), [{ type: "ADDED", object: { a: "😀" } }]);
});

Deno.test("JsonFrameScanner gives two frames for two frames with blank lines in one chunk", () => {
  const frames = scan('\n\n{"type":"ADDED"}\n\n{"type":"DELETED"}\n\n');
  assertEquals(frames.map((frame) => frame.type), ["ADDED", "DELETED"]);
});

Deno.test("JsonFrameScanner: a frame that lies within one chunk is a view into that chunk; one that does not is copied once", () => {
  const chunk = encoder.encode('{"type":"A"}{"type":"B"}{"ty');
  const rest = encoder.encode('pe":"C"}');
  const frames = scan(chunk, rest);
  assertEquals(frames.map((frame) => frame.bytes.buffer === chunk.buffer), [true, true, false]);
  rest.fill(0);
  assertEquals(parsed(frames[2]), { type: "C" });
});

Deno.test("JsonFrameScanner peeks at the object's own fields only", () => {
  const object = {
    spec: { kind: "no", metadata: { resourceVersion: "no" }, type: "no" },
    metadata: { labels: { resourceVersion: "no", managedFields: "no" }, resourceVersion: "7" },
    apiVersion: "v1",
    kind: "Pod",
  };
  const [frame] = scan(JSON.stringify({ other: { kind: "no" }, object, kind: "no", type: "ADDED" }));
  assertEquals([frame.type, frame.kind, frame.apiVersion, frame.resourceVersion], ["ADDED", "Pod", "v1", "7"]);
  assertEquals(frame.cutStart, frame.cutEnd);
});

for (
  const [where, metadata, left] of [
    ["first", '{ "managedFields" : [{"a":1}] , "name":"x"}', '{  "name":"x"}'],
    ["last", '{"name":"x" , "managedFields":[{"a":1}] }', '{"name":"x" }'],
    ["between others", '{"name":"x","managedFields":[{"a":"]"}],"uid":"y"}', '{"name":"x","uid":"y"}'],
    ["alone", '{"managedFields":[]}', "{}"],
  ]
) {
  Deno.test(`JsonFrameScanner: a frame without its cut range is the same JSON without metadata.managedFields when that is ${where}`, () => {
    const [frame] = scan(`{"type":"ADDED","object":{"metadata":${metadata}}}`);
    const { bytes, objectStart, objectEnd, cutStart, cutEnd } = frame;
    const rest = decoder.decode(bytes.subarray(objectStart, cutStart)) +
      decoder.decode(bytes.subarray(cutEnd, objectEnd));
    assertEquals(rest, `{"metadata":${left}}`);
  });
}

for (
  const [text, position, why] of [
    ['{"type":"A"} x', 13, '"x" stands between two JSON values'],
    ['{"type":"A"},{}', 12, '"," stands between two JSON values'],
    ["[1]", 0, '"[" stands between two JSON values'],
    ['"text"', 0, "between two JSON values"],
    ["}", 0, '"}" stands between two JSON values'],
    ["\u0000", 0, "byte 0x00 stands between two JSON values"],
    ['{"a":[}', 6, '"}" closes what is not open'],
    ['{"a":{"b":{"c":[1}}}', 17, '"}" closes what is not open'],
    ['{"object":{"metadata":{"resourceVersion":"\\q"}}}', 42, "a string is not JSON"],
    [`{"a":${"[".repeat(10_000)}}`, 10_005, '"}" closes what is not open'],
  ] as const
) {
  Deno.test(`JsonFrameScanner: malformed input and a frame over the bound are a FrameError that names the resource and byte ${position}: ${text.slice(0, 24)}`, () => {
    for (const size of [1, 7, 100_000]) {
      const scanner = new JsonFrameScanner({ resource: "deployments.apps" });
      const error = assertThrows(() => {
        for (let at = 0; at < text.length; at += size) scanner.push(encoder.encode(text.slice(at, at + size)), []);
      }, FrameError) as FrameError;
      assertEquals(error.position, position);
      assert(error.message.startsWith(`Cannot read the stream of deployments.apps at byte ${position}: `));
      assert(error.message.includes(why), error.message);
    }
  });
}

Deno.test("JsonFrameScanner refuses a frame over the bound, whole or not, and takes one of just that size", () => {
  const frame = (length: number) => '{"type":"' + "A".repeat(length - 11) + '"}';
  for (const size of [1, 50, 1000]) {
    const scanner = new JsonFrameScanner({ resource: "pods", maxFrameBytes: 200 });
    const frames: WatchFrame[] = [];
    const push = (text: string) => {
      for (let at = 0; at < text.length; at += size) scanner.push(encoder.encode(text.slice(at, at + size)), frames);
    };
    push(frame(200) + "\n" + frame(200));
    assertEquals(frames.length, 2);
    const error = assertThrows(() => push(frame(201)), FrameError, "longer than maximum allowed size, 200 bytes");
    assertEquals((error as FrameError).position, 401);
  }
});

Deno.test("JsonFrameReader says whether the stream ended inside of a frame", async () => {
  for (const [text, expected] of [['{"type":"A"}\n', false], ['{"type":"A"}\n{"ty', true]] as const) {
    const reader = new JsonFrameReader({ resource: "pods" });
    const frames = await Array.fromAsync(new Blob([text]).stream().pipeThrough(reader));
    assertEquals(frames.flat().length, 1);
    assertEquals(reader.endedInsideFrame, expected);
  }
});

function readList(text: string) {
  const reader = new ListReader({ resource: "pods" });
  const items: WatchFrame[] = [];
  reader.push(encoder.encode(text), items);
  return { items, head: reader.end() };
}

Deno.test("ListReader yields items before the list is complete", () => {
  const reader = new ListReader({ resource: "pods" });
  const items: WatchFrame[] = [];
  reader.push(encoder.encode('{"items":[{"metadata":{"resourceVersion":"5"}},{"meta'), items);
  assertEquals(items.map((item) => item.resourceVersion), ["5"]);
});

Deno.test("ListReader takes null and absent items for none", () => {
  for (const items of ['"items":null,', "", '"items":[],']) {
    const { items: read, head } = readList(`{${items}"kind":"PodList","metadata":{"resourceVersion":"3"}}`);
    assertEquals(read, []);
    assertEquals(head.resourceVersion, "3");
  }
});

for (const apiVersion of ["meta.k8s.io/v1", "meta.k8s.io/v1beta1"]) {
  Deno.test(`ListReader: Tables and Statuses are not lists: ${apiVersion}`, () => {
    const table = { kind: "Table", apiVersion, metadata: { resourceVersion: "3" }, rows: [{ cells: [] }] };
    assertThrows(() => readList(JSON.stringify(table)), FrameError, "a Table came in place of a list");
  });
}

Deno.test("ListReader throws a Status that came in place of a list as StatusError", () => {
  const body = { kind: "Status", status: "Failure", message: "it is gone", reason: "Expired", code: 410 };
  const error = assertThrows(() => readList(JSON.stringify(body)), StatusError, "it is gone") as StatusError;
  assertEquals([error.code, error.reason], [410, "Expired"]);
});

for (
  const [text, why] of [
    ['{"kind":"PodList","items":[{}', "ended before the list was complete"],
    ["", "ended before the list was complete"],
    ["{}", "names no kind"],
    ['{"kind":"PodList","items":[1]}', '"1" stands where an item must begin'],
    ['{"kind":"PodList","items":["a"]}', "stands where an item must begin"],
    ['{"kind":"PodList","items":[]}{}', '"{" stands between two JSON values'],
  ]
) {
  Deno.test(`ListReader: end gives the head of a list that came whole, and throws for ${text || "an empty body"}`, () => {
    assertThrows(() => readList(text), FrameError, why);
  });
}

Deno.test("JsonFrameScanner: at most one frame is held between chunks", () => {
  const text = '{"type":"ADDED","object":{"metadata":{"resourceVersion":"7"}}}';
  const bytes = encoder.encode(text.repeat(50));
  for (const size of [7, text.length - 1, text.length + 1, 3 * text.length - 5]) {
    // What is held beyond the bound is an error, so nothing but the frame that is being read is.
    const scanner = new JsonFrameScanner({ resource: "pods", maxFrameBytes: text.length });
    const frames: WatchFrame[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      const chunk = bytes.slice(at, at + size);
      const before = frames.length;
      scanner.push(chunk, frames);
      const texts = frames.slice(before).map((frame) => decoder.decode(frame.bytes));
      assertEquals(new Set(texts).difference(new Set([text])).size, 0);
      chunk.fill(0); // the scanner keeps no part of it
    }
    assertEquals(frames.length, 50);
  }
});

Deno.test("JsonFrameScanner: an object may be nested as deep as a frame has room for", () => {
  const depth = 1_000_000;
  const [deep, next] = scan(
    `{"type":"ADDED","object":{"x":${"[".repeat(depth)}`,
    `${"]".repeat(depth)},"kind":"Pod"}}{"type":"DELETED"}`,
  );
  assertEquals([deep.type, deep.kind, deep.bytes.length > 2 * depth, next.type], ["ADDED", "Pod", true, "DELETED"]);
});
