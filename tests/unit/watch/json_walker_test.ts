import { assertEquals, assertThrows } from "@std/assert";
import { BracketMatcher } from "../../../src/watch/bracket_matcher.ts";
import { EVENT, Text } from "../../../src/watch/frame_shape.ts";
import { JsonWalker } from "../../../src/watch/json_walker.ts";
import { FrameError } from "../../../src/watch/mod.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

Deno.test("JsonWalker: walk stops behind each frame, and where the bytes run out; the next call goes on from the returned index", () => {
  const walker = new JsonWalker(EVENT);
  const bytes = encoder.encode(' {"type":"ADDED"} {"type":"MODI');
  const first = walker.walk(bytes, 0, bytes.length);
  assertEquals([walker.atFrameEnd, decoder.decode(bytes.subarray(walker.frameStart, first))], [
    true,
    '{"type":"ADDED"}',
  ]);
  const stopped = walker.walk(bytes, first, bytes.length);
  const keepFrom = walker.keepFrom(stopped);
  assertEquals([walker.atFrameEnd, decoder.decode(bytes.subarray(keepFrom))], [false, '{"type":"MODI']);
  walker.frameStart = 0;
  const rest = encoder.encode('{"type":"MODIFIED"}');
  assertEquals(walker.walk(rest, stopped - keepFrom, rest.length), rest.length);
  assertEquals([walker.atFrameEnd, walker.texts[Text.type]], [true, "MODIFIED"]);
});

Deno.test("JsonWalker: objects and arrays of the shape are walked key by key; everything else is only matched for brackets", () => {
  const walker = new JsonWalker(EVENT);
  const bytes = encoder.encode('{"type":"ADDED","object":{"spec":{"kind":no JSON,[{}]},"kind":"Pod"}}');
  walker.walk(bytes, 0, bytes.length);
  assertEquals([walker.atFrameEnd, walker.texts[Text.kind]], [true, "Pod"]);
  const wrong = encoder.encode('{"object":{"spec":{"a":[}]}}');
  assertThrows(() => new JsonWalker(EVENT).walk(wrong, 0, wrong.length), FrameError, "closes what is not open");
});

Deno.test("JsonWalker: ranges (objectStart and so on) count from the frame's first byte", () => {
  const walker = new JsonWalker(EVENT);
  const frame = '{"object":{"metadata":{"name":"a","managedFields":[]}}}';
  const bytes = encoder.encode(`{"type":"ADDED"}\n\n${frame}`);
  walker.walk(bytes, walker.walk(bytes, 0, bytes.length), bytes.length);
  const { objectStart, objectEnd, metadataStart, metadataEnd, cutStart, cutEnd } = walker;
  assertEquals(frame.slice(objectStart, objectEnd), '{"metadata":{"name":"a","managedFields":[]}}');
  assertEquals(frame.slice(metadataStart, metadataEnd), '{"name":"a","managedFields":[]}');
  assertEquals(frame.slice(cutStart, cutEnd), ',"managedFields":[]');
});

Deno.test("BracketMatcher: depth is the number of open brackets, however many; each closing one must be of the kind of the last open one", () => {
  const matcher = new BracketMatcher();
  const [open, deep] = [encoder.encode("{[{["), encoder.encode("[".repeat(100_000))];
  matcher.skip(open, 0, open.length, 0);
  matcher.skip(deep, 0, deep.length, 0);
  assertEquals(matcher.depth, 100_004);
  const close = encoder.encode("]".repeat(100_000));
  matcher.skip(close, 0, close.length, 0);
  assertEquals(matcher.depth, 4);
  const wrong = encoder.encode("}");
  assertThrows(() => matcher.skip(wrong, 0, 1, 0), FrameError, "closes what is not open");
});

Deno.test("BracketMatcher: a bracket of the wrong kind is found at every depth that is checked, whatever is open outside of it", () => {
  for (const depth of [1, 2, 63, 64, 65, 127, 128, 129, 1_000, 8_192, 8_193, 10_239, 10_240]) {
    for (const [inner, wrong] of ["[}", "{]"]) {
      const text = "[{".repeat(depth).slice(0, depth - 1) + inner;
      const [bytes, end] = [encoder.encode(text), encoder.encode(wrong)];
      const matcher = new BracketMatcher();
      for (const byte of bytes.subarray(0, depth / 2)) matcher.open(byte);
      matcher.skip(bytes, Math.floor(depth / 2), depth, 0);
      assertEquals(matcher.depth, depth);
      assertThrows(() => matcher.skip(end, 0, 1, 0), FrameError, "closes what is not open", `${wrong} at ${depth}`);
      const right = [...text].reverse().map((open) => open === "[" ? "]" : "}").join("");
      matcher.depth = depth;
      assertEquals(matcher.skip(encoder.encode(right), 0, depth, 0), depth);
      assertEquals(matcher.depth, 0);
    }
  }
});

Deno.test("BracketMatcher: skip passes over what is nested deeper than depth, wherever the bytes are cut", () => {
  const text = '{"a":"}\\"","b":{},"c":[1,{"d":"\\\\"}]},behind';
  const bytes = encoder.encode(text);
  for (let cut = 1; cut < text.indexOf(",behind"); cut++) {
    const matcher = new BracketMatcher();
    const at = matcher.skip(bytes, 0, cut, 0);
    assertEquals(text.slice(matcher.skip(bytes, at, bytes.length, 0)), ",behind", `cut at ${cut}`);
    assertEquals(matcher.depth, 0);
  }
});
