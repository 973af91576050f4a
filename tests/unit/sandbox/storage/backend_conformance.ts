import { assertEquals } from "@std/assert";
import type { Backend, StoredObject } from "../../../../src/sandbox/storage/mod.ts";

const object = (value: string): StoredObject => ({ metadata: {}, data: { value } });
const keys = (backend: Backend, collection: string, prefix = "", from = "") =>
  [...backend.scan(collection, { prefix, from })].map(({ key }) => key);

/** An empty backend, and what is left to do when it was closed. */
export interface BackendFixture {
  readonly backend: Backend;
  end?(): void;
}

/** The tests that every storage backend must pass. */
export function backendConformance(name: string, create: () => Promise<BackendFixture>): void {
  const test = (what: string, run: (backend: Backend) => void) =>
    Deno.test(`${name} ${what}`, async () => {
      const { backend, end } = await create();
      try {
        run(backend);
      } finally {
        backend.close();
        backend.close();
        end?.();
      }
    });

  test("returns the object of the last write to a key", (backend) => {
    backend.write("pods", "a/x", object("1"), 2);
    backend.write("pods", "a/x", object("2"), 3);
    assertEquals(backend.get("pods", "a/x"), { key: "a/x", revision: 3, object: object("2") });
  });

  test("returns nothing for a key that was removed or never written", (backend) => {
    backend.write("pods", "a/x", object("1"), 2);
    backend.write("pods", "a/x", undefined, 3);
    assertEquals([backend.get("pods", "a/x"), backend.get("pods", "a/y")], [undefined, undefined]);
    assertEquals(keys(backend, "pods"), []);
  });

  test("scans in ascending order of key, from a key on and within a prefix", (backend) => {
    for (const [i, key] of ["b/1", "a-b/1", "a/2", "a/1", "c/1"].entries()) {
      backend.write("pods", key, object(key), i + 2);
    }
    assertEquals(keys(backend, "pods"), ["a-b/1", "a/1", "a/2", "b/1", "c/1"]);
    assertEquals(keys(backend, "pods", "a/"), ["a/1", "a/2"]);
    assertEquals(keys(backend, "pods", "", "a/1\u0000"), ["a/2", "b/1", "c/1"]);
    assertEquals(keys(backend, "pods", "a/", "a/2"), ["a/2"]);
    assertEquals(keys(backend, "pods", "a/", "z"), []);
  });

  test("scans what was there when the scan was asked for", (backend) => {
    backend.write("pods", "a", object("1"), 2);
    backend.write("pods", "c", object("1"), 3);
    const scan = backend.scan("pods", { prefix: "", from: "" });
    backend.write("pods", "b", object("1"), 4);
    backend.write("pods", "c", undefined, 5);
    assertEquals([...scan].map(({ key }) => key), ["a", "c"]);
  });

  test("scans no more than is asked for", (backend) => {
    for (const [i, key] of ["a/1", "a/2", "a/3", "b/1"].entries()) backend.write("pods", key, object(key), i + 2);
    const first = (atMost: number, prefix: string, from = "") =>
      [...backend.scan("pods", { prefix, from, atMost })].map(({ key }) => key);
    assertEquals(first(2, ""), ["a/1", "a/2"]);
    assertEquals(first(2, "a/", "a/3"), ["a/3"]);
    assertEquals(first(9, "a/"), ["a/1", "a/2", "a/3"]);
  });

  test("counts what a scan would yield", (backend) => {
    for (const [i, key] of ["a/1", "a/2", "b/1"].entries()) backend.write("pods", key, object(key), i + 2);
    const count = (prefix: string, from: string) => backend.count("pods", { prefix, from });
    assertEquals([count("", ""), count("a/", ""), count("a/", "a/2"), count("", "c")], [3, 2, 1, 0]);
  });

  test("knows the revision of the last write, removals included", (backend) => {
    assertEquals(backend.revision, 1);
    backend.write("pods", "a", object("1"), 2);
    assertEquals(backend.revision, 2);
    backend.write("pods", "a", undefined, 7);
    assertEquals(backend.revision, 7);
  });

  test("keeps collections apart", (backend) => {
    backend.write("pods", "a", object("pod"), 2);
    backend.write("nodes", "a", object("node"), 3);
    backend.write("pods", "a", undefined, 4);
    assertEquals(backend.get("nodes", "a")?.object, object("node"));
    assertEquals(backend.collections(), ["nodes"]);
  });

  test("keeps facts by name, outside of every collection and without a revision", (backend) => {
    assertEquals(backend.readFact("key"), undefined);
    backend.writeFact("key", "one");
    backend.writeFact("other", "");
    backend.writeFact("key", "two\u0000ü");
    assertEquals([backend.readFact("key"), backend.readFact("other")], ["two\u0000ü", ""]);
    assertEquals([backend.revision, backend.collections()], [1, []]);
  });
}
