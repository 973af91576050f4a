import { assertEquals } from "@std/assert";
import { DEPLOYMENTS, PODS } from "../../src/api/mod.ts";
import { FrameDecoder } from "../../src/cache/frame_decoder.ts";
import { frames, item } from "./cache_fixtures.ts";

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

Deno.test("FrameDecoder cuts managedFields out of a LIST item while filling in its kind", () => {
  const text = '{"metadata":{"managedFields":[{}],"name":"ä"}}';
  const frame = { ...item(text), cutStart: text.indexOf('"managed'), cutEnd: text.indexOf('"name"') };
  assertEquals(new FrameDecoder(PODS).decode(frame), { kind: "Pod", apiVersion: "v1", metadata: { name: "ä" } });
});

Deno.test("FrameDecoder gives nothing for JSON that is not an object with a name", () => {
  const decoder = new FrameDecoder(PODS);
  for (const text of ["{}", "{ }", "{\n}", '{"metadata":{}}', '{"metadata":null}']) {
    assertEquals(decoder.decode(item(text)), undefined, text);
  }
  assertEquals(decoder.decode({ ...item("null"), type: "ADDED" }), undefined);
});

Deno.test("FrameDecoder keeps 64-bit integers and text of any size", () => {
  const long = "ü".repeat(200_000);
  const text = `{"metadata":{"name":"a","annotations":{"long":"${long}"},"generation":9223372036854775807}}`;
  const object = new FrameDecoder(PODS).decode(item(text))!;
  assertEquals(object.metadata?.annotations?.long, long);
  assertEquals(JSON.stringify(object.metadata?.generation), "9223372036854775807");
});
