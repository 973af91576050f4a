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
  const on = (run: (backend: Backend) => void) => async () => {
    const { backend, end } = await create();
    try {
      run(backend);
    } finally {
      backend.close();
      backend.close();
      end?.();
    }
  };

  Deno.test(`${name} as a Backend:`, async (t) => {
    await t.step(
      "get returns the object of the last write to that collection and key",
      on((backend) => {
        backend.write("pods", "a/x", object("1"), 2);
        backend.write("pods", "a/x", object("2"), 3);
        assertEquals(backend.get("pods", "a/x"), { key: "a/x", revision: 3, object: object("2") });
      }),
    );

    await t.step(
      "get returns the object of the last write to that collection and key, or undefined after it was removed",
      on((backend) => {
        backend.write("pods", "a/x", object("1"), 2);
        backend.write("pods", "a/x", undefined, 3);
        assertEquals([backend.get("pods", "a/x"), backend.get("pods", "a/y")], [undefined, undefined]);
        assertEquals(keys(backend, "pods"), []);
      }),
    );

    await t.step(
      "scan yields the entries at or after from whose key starts with prefix, in ascending order of key, as they were when it was called",
      on((backend) => {
        for (const [i, key] of ["b/1", "a-b/1", "a/2", "a/1", "c/1"].entries()) {
          backend.write("pods", key, object(key), i + 2);
        }
        assertEquals(keys(backend, "pods"), ["a-b/1", "a/1", "a/2", "b/1", "c/1"]);
        assertEquals(keys(backend, "pods", "a/"), ["a/1", "a/2"]);
        assertEquals(keys(backend, "pods", "", "a/1\u0000"), ["a/2", "b/1", "c/1"]);
        assertEquals(keys(backend, "pods", "a/", "a/2"), ["a/2"]);
        assertEquals(keys(backend, "pods", "a/", "z"), []);
      }),
    );

    await t.step(
      "scan yields the entries at or after from whose key starts with prefix, in ascending order of key; as they were when it was called",
      on((backend) => {
        backend.write("pods", "a", object("1"), 2);
        backend.write("pods", "c", object("1"), 3);
        const scan = backend.scan("pods", { prefix: "", from: "" });
        backend.write("pods", "b", object("1"), 4);
        backend.write("pods", "c", undefined, 5);
        assertEquals([...scan].map(({ key }) => key), ["a", "c"]);
      }),
    );

    await t.step(
      "scan yields the entries at or after from whose key starts with prefix, in ascending order of key; with atMost, only the first ones",
      on((backend) => {
        for (const [i, key] of ["a/1", "a/2", "a/3", "b/1"].entries()) backend.write("pods", key, object(key), i + 2);
        const first = (atMost: number, prefix: string, from = "") =>
          [...backend.scan("pods", { prefix, from, atMost })].map(({ key }) => key);
        assertEquals(first(2, ""), ["a/1", "a/2"]);
        assertEquals(first(2, "a/", "a/3"), ["a/3"]);
        assertEquals(first(9, "a/"), ["a/1", "a/2", "a/3"]);
      }),
    );

    await t.step(
      "counts what a scan would yield",
      on((backend) => {
        for (const [i, key] of ["a/1", "a/2", "b/1"].entries()) backend.write("pods", key, object(key), i + 2);
        const count = (prefix: string, from: string) => backend.count("pods", { prefix, from });
        assertEquals([count("", ""), count("a/", ""), count("a/", "a/2"), count("", "c")], [3, 2, 1, 0]);
      }),
    );

    await t.step(
      "revision is that of the last write, and 1 when there was none, removals included",
      on((backend) => {
        assertEquals(backend.revision, 1);
        backend.write("pods", "a", object("1"), 2);
        assertEquals(backend.revision, 2);
        backend.write("pods", "a", undefined, 7);
        assertEquals(backend.revision, 7);
      }),
    );

    await t.step(
      "collections do not see each other's keys",
      on((backend) => {
        backend.write("pods", "a", object("pod"), 2);
        backend.write("nodes", "a", object("node"), 3);
        backend.write("pods", "a", undefined, 4);
        assertEquals(backend.get("nodes", "a")?.object, object("node"));
        assertEquals(backend.collections(), ["nodes"]);
      }),
    );

    await t.step(
      "facts are not objects: they belong to no collection and take no revision",
      on((backend) => {
        assertEquals(backend.readFact("key"), undefined);
        backend.writeFact("key", "one");
        backend.writeFact("other", "");
        backend.writeFact("key", "two\u0000ü");
        assertEquals([backend.readFact("key"), backend.readFact("other")], ["two\u0000ü", ""]);
        assertEquals([backend.revision, backend.collections()], [1, []]);
      }),
    );
  });
}
