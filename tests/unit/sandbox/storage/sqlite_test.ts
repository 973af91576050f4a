import { assert, assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import { encodeHex } from "@std/encoding/hex";
import { DatabaseSync } from "node:sqlite";
import { FakeClock, parseJson } from "../../../../src/base/mod.ts";
import {
  type Backend,
  DataDirError,
  openDataDir,
  Store,
  type StoredObject,
} from "../../../../src/sandbox/storage/mod.ts";
import { backendConformance } from "./backend_conformance.ts";

backendConformance("SqliteBackend", async () => {
  const dataDir = Deno.makeTempDirSync();
  const backend = await openDataDir(dataDir);
  return { backend, end: () => Deno.removeSync(dataDir, { recursive: true }) };
});

/** A temporary data directory that goes when it is disposed of. */
class DataDir implements Disposable {
  readonly #parent: string = Deno.makeTempDirSync();
  readonly path: string = `${this.#parent}/data`;
  readonly file: string = `${this.path}/objects.db`;

  /** Opens the directory and closes it again around `use`. */
  async with<T>(use: (backend: Backend) => T | Promise<T>): Promise<T> {
    const backend = await openDataDir(this.path);
    try {
      return await use(backend);
    } finally {
      backend.close();
    }
  }

  /** What refuses the directory; it must be as it was afterwards. */
  async refusal(): Promise<string> {
    const before = this.contents();
    const error = await assertRejects(() => openDataDir(this.path), DataDirError);
    assertEquals(this.contents(), before, "the data is left untouched");
    assertEquals(error.dataDir, this.path);
    assert(!error.message.includes("\n"), error.message);
    return error.message.replace(JSON.stringify(this.path), "DIR");
  }

  contents(): string[] {
    const entries = [...Deno.readDirSync(this.path)].filter(({ isFile }) => isFile);
    return entries.map(({ name }) => `${name} ${encodeHex(Deno.readFileSync(`${this.path}/${name}`))}`).sort();
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.#parent, { recursive: true });
  }
}

const object = (value: unknown): StoredObject => ({ metadata: { name: "x" }, value });

Deno.test("SqliteBackend: a write is one transaction; what was written before a restart is there after it, frozen", async () => {
  using dir = new DataDir();
  await dir.with((backend) => {
    backend.write("pods", "a/x", object("old"), 2);
    backend.write("pods", "a/x", object("new"), 3);
    backend.write("pods", "a/y", object("gone"), 4);
    backend.write("pods", "a/y", undefined, 5);
    backend.write("nodes", "n", object("node"), 6);
    backend.writeFact("key", "secret");
  });
  await dir.with((backend) => {
    assertEquals(backend.get("pods", "a/x"), { key: "a/x", revision: 3, object: object("new") });
    assertEquals([backend.get("pods", "a/y"), backend.collections()], [undefined, ["nodes", "pods"]]);
    assertEquals([backend.revision, backend.readFact("key")], [6, "secret"]);
    assertThrows(() => backend.get("nodes", "n")!.object.metadata.name = "other", TypeError);
  });
});

Deno.test("SqliteBackend: the revision survives as well, even if the last write was a removal, even when nothing is left", async () => {
  using dir = new DataDir();
  await dir.with((backend) => {
    backend.write("pods", "a", object("1"), 2);
    backend.write("pods", "a", undefined, 9);
  });
  await dir.with((backend) => assertEquals([backend.revision, backend.collections()], [9, []]));
});

Deno.test("SqliteBackend gives back every number and text as it was, and the order of fields", async () => {
  using dir = new DataDir();
  const text =
    '{"metadata":{"name":"x","annotations":{"__proto__":"p","z":"\\u0000\\ud800ü"}},"b":9223372036854775807,' +
    '"a":[1.5,-0.25,1e+21,null,true,{"c":-12345678901234567890}]}';
  const key = "ns/\u0000\ud800 ü";
  await dir.with((backend) => {
    backend.write("widgets.example.com", key, parseJson(text) as StoredObject, 2);
    backend.writeFact(key, key);
  });
  await dir.with((backend) => {
    assertEquals(JSON.stringify(backend.get("widgets.example.com", key)?.object), text);
    assertEquals(backend.readFact(key), key);
  });
});

Deno.test("SqliteBackend: a write is one transaction: if it throws, nothing has changed", async () => {
  using dir = new DataDir();
  const backend = await openDataDir(dir.path);
  backend.write("pods", "a", object("1"), 2);
  backend.close();
  for (const value of [object("2"), undefined]) assertThrows(() => backend.write("pods", "a", value, 3), Error);
  await dir.with((backend) => assertEquals([backend.revision, backend.get("pods", "a")?.object], [2, object("1")]));
});

Deno.test("Store over a reopened data directory has no history: what came before is expired", async () => {
  using dir = new DataDir();
  await dir.with((backend) => {
    const store = new Store({ backend, clock: new FakeClock() });
    store.put("pods", "a", object("1"));
    store.remove("pods", "a");
  });
  await dir.with((backend) => {
    const store = new Store({ backend, clock: new FakeClock() });
    assertEquals([store.revision, store.since("pods", 2), store.since("pods", 3)], [3, undefined, []]);
    assertEquals(store.put("pods", "a", object("2")).metadata.resourceVersion, "4");
  });
});

Deno.test("openDataDir makes a missing directory, for its user alone", async () => {
  using dir = new DataDir();
  await dir.with(() => assertEquals(Deno.statSync(dir.path).mode! & 0o777, 0o700));
});

Deno.test("openDataDir: nobody but this user may read the database and what lies beside it, in a directory open to all and after an earlier version", async () => {
  using dir = new DataDir();
  const modes = () =>
    Object.fromEntries([...Deno.readDirSync(dir.path)].map(({ name }) => [
      name,
      (Deno.statSync(`${dir.path}/${name}`).mode! & 0o777).toString(8),
    ]));
  Deno.mkdirSync(dir.path);
  Deno.chmodSync(dir.path, 0o755);
  await dir.with((backend) => {
    backend.write("secrets", "a", object("secret"), 2);
    assertEquals(modes(), { "objects.db": "600", "objects.db-wal": "600" });
  });
  Deno.chmodSync(dir.file, 0o644);
  await dir.with((backend) => {
    backend.write("secrets", "a", object("secret"), 3);
    assertEquals(modes(), { "objects.db": "600", "objects.db-wal": "600" });
  });
});

Deno.test("openDataDir refuses a path that is a file, or cannot be a directory", async () => {
  using dir = new DataDir();
  Deno.writeTextFileSync(dir.path, "mine");
  const message = async (path: string) => (await assertRejects(() => openDataDir(path), DataDirError)).message;
  assertEquals(
    await message(dir.path),
    `Cannot use the data directory "${dir.path}": it is a file; name a directory instead`,
  );
  assert((await message(`${dir.path}/below`)).includes("it cannot be used"));
  assertEquals(Deno.readTextFileSync(dir.path), "mine");
});

Deno.test("SqliteBackend: while it is open, no other process can open the same file; openDataDir refuses its directory until then", async () => {
  using dir = new DataDir();
  await dir.with(async (backend) => {
    backend.write("pods", "a", object("1"), 2);
    const why = "Cannot use the data directory DIR: another process uses it; end that one, or name another directory";
    assertEquals(await dir.refusal(), why);
    backend.write("pods", "a", object("2"), 3);
  });
  await dir.with(({ revision }) => assertEquals(revision, 3));
});

Deno.test("openDataDir refuses a file that is not a database or was made by another program", async () => {
  using dir = new DataDir();
  Deno.mkdirSync(dir.path);
  Deno.writeTextFileSync(dir.file, "SQLite format 2 or something else entirely");
  assertEquals(
    await dir.refusal(),
    "Cannot use the data directory DIR: its objects.db is damaged or no database; restore it, or name another directory",
  );
  Deno.removeSync(dir.file);
  const other = new DatabaseSync(dir.file);
  other.exec("CREATE TABLE objects (mine TEXT)");
  other.close();
  assertEquals(
    await dir.refusal(),
    "Cannot use the data directory DIR: its objects.db was made by another program; name another directory",
  );
});

Deno.test("openDataDir refuses a data directory of another version", async () => {
  using dir = new DataDir();
  await dir.with((backend) => backend.write("pods", "a", object("1"), 2));
  const later = new DatabaseSync(dir.file);
  later.exec("PRAGMA user_version = 7");
  later.close();
  const message = await dir.refusal();
  assert(
    message.includes("its objects.db has format 7, and this version reads format 1; use the version that wrote it"),
  );
});

Deno.test("openDataDir refuses a damaged database wherever the damage takes something away", async () => {
  using dir = new DataDir();
  await dir.with((backend) => {
    for (let i = 0; i < 200; i++) backend.write("pods", `p${i}`, object("x".repeat(300)), i + 2);
  });
  const whole = Deno.readFileSync(dir.file);
  const contents = (backend: Backend) =>
    JSON.stringify([backend.revision, ...backend.scan("pods", { prefix: "", from: "" })]);
  const expected = await dir.with(contents);
  let refusals = 0;
  for (let page = 0; page * 4096 < whole.length; page++) {
    const damaged = whole.slice();
    damaged.fill(0xa5, page * 4096 + 100, page * 4096 + 4096);
    Deno.writeFileSync(dir.file, damaged);
    const found = await dir.with(contents).catch(() => undefined);
    // Where it opens, the damage was in a page that holds nothing.
    if (found !== undefined) assertEquals(found, expected);
    Deno.writeFileSync(dir.file, damaged);
    if (found !== undefined) continue;
    const message = await dir.refusal();
    assert(/its objects.db is damaged .*; restore it, or name another directory/.test(message), message);
    refusals++;
  }
  assert(refusals > whole.length / 4096 / 2, `${refusals} pages of ${whole.length / 4096}`);
});

Deno.test("openDataDir refuses a database that is not a file", async () => {
  using dir = new DataDir();
  Deno.mkdirSync(dir.file, { recursive: true });
  const error = await assertRejects(() => openDataDir(dir.path), DataDirError);
  assertInstanceOf(error.cause, Error);
  assert(error.message.includes("objects.db cannot be used"), error.message);
});

Deno.test("openDataDir refuses what this process may not write", { permissions: { read: true } }, async () => {
  const { message } = await assertRejects(() => openDataDir("/kubeloop-data"), DataDirError);
  const begin = 'Cannot use the data directory "/kubeloop-data": Deno was started without the right to use it (';
  assert(message.startsWith(begin) && message.endsWith("; or name another directory"), message);
});
