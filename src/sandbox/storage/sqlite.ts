import type { DatabaseSync, StatementSync } from "node:sqlite";
import { parseJson } from "../../base/mod.ts";
import type { Backend, Entry, KeyRange, StoredObject } from "./backend.ts";
import { APPLICATION_ID, asDataDirError, FILE, FORMAT_VERSION, prepareDataDir } from "./data_dir.ts";
import { jsonText, settle } from "./json_text.ts";
import { MemoryBackend } from "./memory.ts";

/**
 * Texts are stored as JSON, because SQLite's own end at a NUL and cannot hold half a surrogate pair. A removal updates
 * one row, whose trigger removes the object: a single statement, hence a single transaction, which also stores the
 * revision.
 */
const TABLES = `
  CREATE TABLE objects (
    id INTEGER PRIMARY KEY,
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    revision INTEGER NOT NULL,
    object TEXT NOT NULL,
    UNIQUE (collection, key)
  ) STRICT;
  CREATE TABLE facts (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
  CREATE TABLE removal (collection TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL) STRICT;
  INSERT INTO removal (collection, key, revision) VALUES ('', '""', 1);
  CREATE TRIGGER remove_object AFTER UPDATE ON removal BEGIN
    DELETE FROM objects WHERE collection = NEW.collection AND key = NEW.key;
  END;`;

/**
 * A {@link Backend} in a SQLite file that is also completely in memory: reads never touch the file.
 *
 * Contract:
 * 1. A write is one transaction. Once `write` has returned, it survives the end of this process, however sudden; if it
 *    throws, nothing has changed.
 * 2. The revision survives as well, even if the last write was a removal.
 * 3. While it is open, no other process can open the same file.
 */
class SqliteBackend implements Backend {
  readonly #memory = new MemoryBackend();
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #putFact: StatementSync;
  #isClosed = false;

  /** @param database Open, in the right format, and owned by the backend from now on. */
  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#put = database.prepare(
      "INSERT INTO objects (collection, key, revision, object) VALUES (?, ?, ?, ?) " +
        "ON CONFLICT DO UPDATE SET revision = excluded.revision, object = excluded.object",
    );
    this.#remove = database.prepare("UPDATE removal SET collection = ?, key = ?, revision = ?");
    this.#putFact = database.prepare(
      "INSERT INTO facts (name, text) VALUES (?, ?) ON CONFLICT DO UPDATE SET text = excluded.text",
    );
    this.#load();
  }

  get revision(): number {
    return this.#memory.revision;
  }

  get(collection: string, key: string): Entry | undefined {
    return this.#memory.get(collection, key);
  }

  scan(collection: string, range: KeyRange): Iterable<Entry> {
    return this.#memory.scan(collection, range);
  }

  count(collection: string, range: Omit<KeyRange, "atMost">): number {
    return this.#memory.count(collection, range);
  }

  collections(): string[] {
    return this.#memory.collections();
  }

  write(collection: string, key: string, object: StoredObject | undefined, revision: number): void {
    if (object === undefined) this.#remove.run(collection, JSON.stringify(key), revision);
    else this.#put.run(collection, JSON.stringify(key), revision, jsonText(object));
    this.#memory.write(collection, key, object, revision);
  }

  readFact(name: string): string | undefined {
    return this.#memory.readFact(name);
  }

  writeFact(name: string, text: string): void {
    this.#putFact.run(JSON.stringify(name), JSON.stringify(text));
    this.#memory.writeFact(name, text);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#database.close();
    this.#memory.close();
  }

  #load(): void {
    for (const { name, text } of this.#rows("SELECT name, text FROM facts")) {
      this.#memory.writeFact(JSON.parse(String(name)), JSON.parse(String(text)));
    }
    let last = 1;
    for (const { revision } of this.#rows("SELECT revision FROM removal")) last = Number(revision);
    const objects = "SELECT collection, key, revision, object FROM objects ORDER BY collection, key";
    for (const { collection, key, revision, object: value } of this.#rows(objects)) {
      const text = String(value);
      const object = parseJson(text) as StoredObject;
      settle(object, text);
      this.#memory.write(String(collection), JSON.parse(String(key)), object, Number(revision));
      last = Math.max(last, Number(revision));
    }
    this.#memory.resume(last);
  }

  #rows(sql: string): Iterable<Readonly<Record<string, unknown>>> {
    return this.#database.prepare(sql).iterate() as Iterable<Readonly<Record<string, unknown>>>;
  }
}

/**
 * Opens the database in `dataDir`, creating both if they are missing.
 *
 * @throws {DataDirError} If the directory or its database cannot be used, or another process uses it.
 *
 * @example
 * ```ts
 * import { openDataDir } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const dataDir = Deno.makeTempDirSync();
 * const before = await openDataDir(dataDir);
 * before.writeFact("greeting", "hello");
 * before.close();
 * const after = await openDataDir(dataDir);
 * assertEquals(after.readFact("greeting"), "hello");
 * after.close();
 * Deno.removeSync(dataDir, { recursive: true });
 * ```
 */
export async function openDataDir(dataDir: string): Promise<Backend> {
  const path = prepareDataDir(dataDir);
  // Imported here, so that servers in memory do not pay for SQLite.
  const { DatabaseSync } = await import("node:sqlite");
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    initialise(database);
    return new SqliteBackend(database);
  } catch (error) {
    database?.close();
    throw asDataDirError(dataDir, FILE, error);
  }
}

/** Locks the database for this process, and creates the tables of a new one. */
function initialise(database: DatabaseSync): void {
  // With a permanent lock, the index of the write-ahead log needs no shared memory, and no other process gets in.
  database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  const known = database.prepare("SELECT name FROM sqlite_master").all();
  const { integrity_check: found } = database.prepare("PRAGMA integrity_check(1)").get() ?? {};
  if (found !== "ok") throw new Error(`malformed: ${found}`);
  // The header and the tables are written in one transaction, so that a file is either empty or complete.
  const layout = `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT_VERSION}; ${TABLES}`;
  database.exec(known.length > 0 ? "COMMIT" : `${layout} COMMIT`);
  // Writes survive the end of the process. A power cut may lose the most recent ones, but never half of one.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
}
