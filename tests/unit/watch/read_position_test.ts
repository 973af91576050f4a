import { assertEquals } from "@std/assert";
import { ReadPosition } from "../../../src/watch/read_position.ts";

const frame = (type: string, resourceVersion: string) => ({
  bytes: new Uint8Array(0),
  type,
  resourceVersion,
  kind: "Pod",
  apiVersion: "v1",
  objectStart: 0,
  objectEnd: 0,
  metadataStart: 0,
  metadataEnd: 0,
  cutStart: 0,
  cutEnd: 0,
});

Deno.test("ReadPosition: the resourceVersion is that of the last list, event or bookmark that was taken", () => {
  const position = new ReadPosition();
  const stream = { isOrdered: true };
  assertEquals([position.resourceVersion, position.streamingListFrom], ["", ""]);
  position.listed("5");
  assertEquals(position.resourceVersion, "5");
  position.advanced(stream, [frame("ADDED", "6"), frame("MODIFIED", "7"), frame("DELETED", "")]);
  assertEquals(position.resourceVersion, "7");
  position.bookmarked(stream, "9");
  position.bookmarked(stream, "");
  assertEquals([position.resourceVersion, position.streamingListFrom], ["9", "9"]);
});

Deno.test('ReadPosition: the unordered events with which a watch from resourceVersion "" or "0" begins do not count, those after a bookmark do', () => {
  const position = new ReadPosition();
  const stream = { isOrdered: false };
  position.advanced(stream, [frame("ADDED", "7"), frame("ADDED", "3")]);
  assertEquals(position.resourceVersion, "");
  position.bookmarked(stream, "8");
  position.advanced(stream, [frame("ADDED", "9")]);
  assertEquals(position.resourceVersion, "9");
});

Deno.test("ReadPosition: lists are requested to be at least that new; only one after a refusal is not", () => {
  const position = new ReadPosition();
  assertEquals(position.listPlan(undefined), { resourceVersion: "0", pageSize: 500 });
  position.listed("5");
  assertEquals(position.listPlan(undefined), { resourceVersion: "5", pageSize: 0 });
  assertEquals(position.listPlan(20), { resourceVersion: "5", pageSize: 20 });
  position.refused();
  assertEquals(position.listPlan(undefined), { resourceVersion: "", pageSize: 500 });
  assertEquals([position.streamingListFrom, position.resourceVersion], ["", "5"]);
  position.listed("30");
  assertEquals(position.streamingListFrom, "30");
});

Deno.test("ReadPosition: once the first list came in pages, all lists do", () => {
  const position = new ReadPosition();
  position.listedBy(position.listPlan(undefined), { resourceVersion: "5", isPaginated: true });
  position.listedBy(position.listPlan(undefined), { resourceVersion: "6", isPaginated: false });
  assertEquals(position.listPlan(undefined), { resourceVersion: "6", pageSize: 500 });
});
