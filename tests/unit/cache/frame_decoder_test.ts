import { assertEquals, assertThrows } from "@std/assert";
import { DEPLOYMENTS, PODS } from "../../../src/api/mod.ts";
import { FrameDecoder } from "../../../src/cache/frame_decoder.ts";
import { UnreadableError } from "../../../src/cache/object_faults.ts";
import { frames, item } from "./fixtures.ts";

Deno.test("FrameDecoder: the bytes of managedFields are never decoded or parsed", () => {
  const text = '{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a",' +
    '"managedFields":[{"manager":"m","fieldsV1":{"f:x":{}}}],"uid":"u"}}}';
  const [frame] = frames(text);
  // Whatever lies in the cut range must not matter.
  const bytes = Uint8Array.from(frame.bytes);
  bytes.fill(0xff, frame.cutStart, frame.cutEnd);
  const object = new FrameDecoder(PODS).decode({ ...frame, bytes });
  assertEquals(object, { kind: "Pod", apiVersion: "v1", metadata: { name: "a", uid: "u" } });
});

Deno.test("FrameDecoder drops managedFields that were not cut", () => {
  const frame = item('{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","managedFields":[{"manager":"m"}]}}');
  const object = new FrameDecoder(PODS).decode(frame);
  assertEquals(object, { kind: "Pod", apiVersion: "v1", metadata: { name: "a" } });
});

Deno.test("FrameDecoder: every object carries apiVersion and kind; what a LIST leaves out is filled in", () => {
  const decoder = new FrameDecoder(DEPLOYMENTS);
  const metadata = { name: "a" };
  const filled = { kind: "Deployment", apiVersion: "apps/v1", metadata };
  assertEquals(decoder.decode(item('{"metadata":{"name":"a"}}')), filled);
  assertEquals(decoder.decode(item(' { "metadata":{"name":"a"} } '.trim())), filled);
  assertEquals(decoder.decode({ ...item('{"metadata":{"name":"a"}}'), type: "ADDED" }), filled);
  const own = decoder.decode(item({ kind: "Scale", apiVersion: "autoscaling/v1", metadata }));
  assertEquals(own, { kind: "Scale", apiVersion: "autoscaling/v1", metadata });
});

Deno.test("FrameDecoder: what several decoders give stays as it is, short or larger than the room that they share", () => {
  const decoders = [new FrameDecoder(PODS), new FrameDecoder(DEPLOYMENTS)];
  const lengths = [10, 100_000, 60_000, 1, 200_000];
  const given = lengths.map((length, i) => {
    const metadata = { name: "a", annotations: { text: `${i}`.repeat(length) } };
    return decoders[i % 2].decode(item(JSON.stringify({ metadata })));
  });
  const expected = lengths.map((length, i) => `${i}`.repeat(length));
  assertEquals(given.map(({ metadata }) => metadata!.annotations!.text), expected);
});

Deno.test("FrameDecoder cuts managedFields out of a LIST item while filling in its kind", () => {
  const text = '{"metadata":{"managedFields":[{}],"name":"ä"}}';
  const frame = { ...item(text), cutStart: text.indexOf('"managed'), cutEnd: text.indexOf('"name"') };
  assertEquals(new FrameDecoder(PODS).decode(frame), { kind: "Pod", apiVersion: "v1", metadata: { name: "ä" } });
});

Deno.test("FrameDecoder: bytes that are not JSON, or JSON that is not an object with a name and sound metadata, are an UnreadableError", () => {
  const decoder = new FrameDecoder(PODS);
  const named = (rest: string) => `{"metadata":{"name":"a",${rest}}}`;
  const unreadable: [text: string, why: string][] = [
    ["{}", "metadata is not an object"],
    ["{ }", "metadata is not an object"],
    ["{\n}", "metadata is not an object"],
    ["null", "it is not an object"],
    ["[]", "it is not an object"],
    ['{"metadata":null}', "metadata is not an object"],
    ['{"metadata":[]}', "metadata is not an object"],
    ['{"metadata":{}}', "metadata.name is not a name"],
    ['{"metadata":{"name":{"secret":1}}}', "metadata.name is not a name"],
    ['{"kind":{},"metadata":{"name":"a"}}', "kind is not text"],
    ['{"apiVersion":7,"metadata":{"name":"a"}}', "apiVersion is not text"],
    [named('"namespace":["secret"]'), "metadata.namespace is not text"],
    [named('"resourceVersion":12345678901234567890'), "metadata.resourceVersion is not text"],
    [named('"labels":["secret"]'), "metadata.labels is not an object"],
    [named('"annotations":"secret"'), "metadata.annotations is not an object"],
    [named('"ownerReferences":{"0":{}}'), "metadata.ownerReferences is not a list"],
    [named('"ownerReferences":[null]'), "metadata.ownerReferences has what is not an object"],
    [named('"finalizers":"secret"'), "metadata.finalizers is not a list"],
    [named('"secret":oops'), "it is not JSON"],
    [
      `{"metadata":{"name":"a"},"spec":${"[".repeat(2 ** 20)}${"]".repeat(2 ** 20)}}`,
      "it is nested deeper than 100000 levels",
    ],
  ];
  for (const [text, why] of unreadable) {
    const error = assertThrows(() => decoder.decode({ ...item(text), type: "ADDED", kind: "Pod" }), UnreadableError);
    assertEquals([error.message, error.cause], [why, undefined], text.slice(0, 80));
  }
});

Deno.test("FrameDecoder takes null for absent in metadata, as Go does", () => {
  const text = '{"metadata":{"name":"a","labels":null,"ownerReferences":null,"namespace":null}}';
  assertEquals(new FrameDecoder(PODS).decode(item(text)).metadata?.name, "a");
});

Deno.test("FrameDecoder replaces bytes that are not UTF-8, as Go does", () => {
  const frame = item('{"metadata":{"name":"a","uid":"?"}}');
  frame.bytes[frame.bytes.indexOf("?".charCodeAt(0))] = 0xff;
  assertEquals(new FrameDecoder(PODS).decode(frame).metadata?.uid, "\ufffd");
});

Deno.test("FrameDecoder keeps 64-bit integers and text of any size", () => {
  const long = "ü".repeat(200_000);
  const text = `{"metadata":{"name":"a","annotations":{"long":"${long}"},"generation":9223372036854775807}}`;
  const object = new FrameDecoder(PODS).decode(item(text));
  assertEquals(object.metadata?.annotations?.long, long);
  assertEquals(JSON.stringify(object.metadata?.generation), "9223372036854775807");
});
