import { assertEquals, assertStrictEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { CONFIG_MAPS, Harness, JSON_PATCH, type Loose, MERGE, STRATEGIC } from "../harness.ts";
import {
  applyJsonPatch,
  JsonPatchError,
  type JsonPatchOperation,
} from "../../../../../src/sandbox/apiserver/patch/json.ts";
import { mergePatch } from "../../../../../src/sandbox/apiserver/patch/merge.ts";

const start = (): Loose => ({ a: { b: "1" }, list: ["x", "y"], "c/d~": 1 });

const APPLIED: ReadonlyArray<readonly [what: string, operation: JsonPatchOperation, result: object]> = [
  ["adds a member", { op: "add", path: "/a/c", value: 1 }, { a: { b: "1", c: 1 } }],
  ["adds null where there is no value", { op: "add", path: "/a/c" }, { a: { b: "1", c: null } }],
  ["adds an item in the middle", { op: "add", path: "/list/1", value: "z" }, { list: ["x", "z", "y"] }],
  ["adds an item at the end", { op: "add", path: "/list/-", value: "z" }, { list: ["x", "y", "z"] }],
  ["removes an item from the end", { op: "remove", path: "/list/-1" }, { list: ["x"] }],
  ["replaces what is not there, as upstream", { op: "replace", path: "/a/c", value: 1 }, { a: { b: "1", c: 1 } }],
  ["reads escaped names", { op: "replace", path: "/c~1d~0", value: 2 }, { "c/d~": 2 }],
  ["moves", { op: "move", from: "/a/b", path: "/a/c" }, { a: { c: "1" } }],
  ["copies", { op: "copy", from: "/a", path: "/e" }, { e: { b: "1" } }],
  ["takes what is missing for null", { op: "test", path: "/a/none", value: null }, {}],
];
for (const [what, operation, result] of APPLIED) {
  Deno.test(`applyJsonPatch ${what}`, () => {
    assertEquals(applyJsonPatch(start(), [operation]), { ...start(), ...result });
  });
}

const REFUSED: ReadonlyArray<readonly [what: string, operation: JsonPatchOperation, error: string]> = [
  ["an operation without a path", { op: "add" }, "operation missing path field"],
  ["an unknown operation", { op: "foo", path: "/a" }, "Unexpected kind: foo"],
  ["the removal of nothing", { op: "remove", path: "/a/none" }, "Unable to remove nonexistent key: none"],
  ["a way through nothing", { op: "add", path: "/none/b", value: 1 }, "doc is missing path: /none/b"],
  ["an index that is too large", { op: "add", path: "/list/9", value: 1 }, "Unable to access invalid index: 9"],
  ["an index that is none", { op: "replace", path: "/list/x", value: 1 }, "value was not a proper array index: 'x'"],
  ["a failed test", { op: "test", path: "/a/b", value: "2" }, "testing value failed"],
];
for (const [what, operation, error] of REFUSED) {
  Deno.test(`applyJsonPatch refuses ${what}`, () => {
    assertThrows(() => applyJsonPatch(start(), [operation]), JsonPatchError, error);
  });
}

Deno.test("applyJsonPatch shares nothing between the places of a copy", () => {
  const document = applyJsonPatch(start(), [
    { op: "copy", from: "/a", path: "/e" },
    { op: "replace", path: "/e/b", value: "2" },
  ]) as Loose;
  assertEquals([document.a.b, document.e.b], ["1", "2"]);
});

Deno.test("mergePatch deletes what is null, merges objects, and replaces the rest", () => {
  const target = { a: { b: 1, c: 2 }, list: [1, 2], d: "x" };
  assertEquals(mergePatch(target, { a: { b: null, e: { f: null, g: 1 } }, list: [3], d: {} }), {
    a: { c: 2, e: { g: 1 } },
    list: [3],
    d: {},
  });
  assertEquals(target, { a: { b: 1, c: 2 }, list: [1, 2], d: "x" });
});

const PATCHES: ReadonlyArray<readonly [what: string, type: string, patch: unknown, code: number, message: string]> = [
  ["no JSON patch", JSON_PATCH, {}, 400, "it must be a list, not an object"],
  [
    "a patch that does not apply",
    JSON_PATCH,
    [{ op: "remove", path: "/data/none" }],
    422,
    "the server rejected our request due to an error in our request",
  ],
  [
    "too many operations",
    JSON_PATCH,
    Array(10_001).fill({ op: "test", path: "/data/x", value: "1" }),
    413,
    "The allowed maximum operations in a JSON patch is 10000, got 10001",
  ],
  ["no merge patch", MERGE, [], 400, "it must be an object, not a list"],
  ["another uid", MERGE, { metadata: { uid: "x" } }, 422, "metadata.uid: Invalid value"],
  [
    "another name",
    MERGE,
    { metadata: { name: "b" } },
    400,
    "the name of the object (b) does not match the name on the URL (a)",
  ],
  ["a stale version", MERGE, { metadata: { resourceVersion: "1" } }, 409, "the object has been modified"],
  [
    "an unknown directive",
    STRATEGIC,
    { data: { $patch: "foo" } },
    500,
    'unknown patch type: "foo"',
  ],
  ["another media type", "text/plain", {}, 415, "415: Unsupported Media Type"],
  ["a media type in capitals", "Application/Merge-Patch+JSON", {}, 415, "415: Unsupported Media Type"],
];
for (const [what, type, patch, code, message] of PATCHES) {
  Deno.test(`ApiServer refuses to patch with ${what}`, async () => {
    using api = new Harness();
    await api.post(CONFIG_MAPS, { metadata: { name: "a" }, data: { x: "1" } });
    const { status, body } = await api.patch(`${CONFIG_MAPS}/a`, patch, type);
    assertEquals(status, code);
    assertStringIncludes(body.message, message);
  });
}

Deno.test("applyJsonPatch refuses copies that add more than 3 MiB in all", () => {
  const double = { op: "copy", from: "/a", path: "/a/-" };
  const grown = () => applyJsonPatch({ a: ["x".repeat(1000)] }, Array.from({ length: 30 }, () => double));
  assertThrows(grown, JsonPatchError, "the accumulated size increase of copy operations is");
});

Deno.test("applyJsonPatch moves without copying", () => {
  const large = { b: 1 };
  const moved = applyJsonPatch({ a: large }, [{ op: "move", from: "/a", path: "/c" }]) as { c: unknown };
  assertStrictEquals(moved.c, large);
});
