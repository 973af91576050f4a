import { errorText } from "../../base/mod.ts";

/** The file with all data in a data directory. */
export const FILE = "objects.db";
/** In the file's header: the application ("kubl") and the version of the layout. */
export const APPLICATION_ID = 0x6b75626c;
export const FORMAT_VERSION = 1;

const PRIVATE_MODE = 0o600;
const MAGIC = "SQLite format 3\u0000";
/** The offset in a SQLite file of its format version and application id, both 32-bit big-endian numbers. */
const FORMAT_AT = 60;
const APPLICATION_AT = 68;
const HEADER_BYTES = 100;

/** A data directory cannot be used. The message is a single line for the user; the data was not changed. */
export class DataDirError extends Error {
  override readonly name = "DataDirError";
  /** The directory as it was given. */
  readonly dataDir: string;

  constructor(dataDir: string, why: string, options?: ErrorOptions) {
    super(`Cannot use the data directory ${JSON.stringify(dataDir)}: ${why}`, options);
    this.dataDir = dataDir;
  }
}

/**
 * Makes sure that `dataDir` is a directory whose database, if there is one, belongs to this program and version.
 * Creates a missing directory and an empty database. Restricts the database to this user, since it holds Secrets and
 * keys.
 *
 * @returns The path of the database.
 * @throws {DataDirError} If it cannot be used; nothing was changed then.
 */
export function prepareDataDir(dataDir: string): string {
  makeDirectory(dataDir);
  const path = `${dataDir}/${FILE}`;
  const header = readHeader(dataDir, path);
  // A process that was killed before its first write leaves an empty file.
  if (header && header.length > 0) checkHeader(dataDir, header);
  keepPrivate(dataDir, path);
  return path;
}

/** SQLite gives its auxiliary files the mode of the database. */
function keepPrivate(dataDir: string, path: string): void {
  try {
    Deno.openSync(path, { append: true, create: true, mode: PRIVATE_MODE }).close();
    for (const file of ["", "-wal", "-shm", "-journal"].map((suffix) => path + suffix)) closeToOthers(file);
  } catch (error) {
    throw asDataDirError(dataDir, FILE, error);
  }
}

function closeToOthers(file: string): void {
  try {
    const { mode } = Deno.statSync(file); // null on platforms without modes
    if (mode !== null && (mode & 0o077) !== 0) Deno.chmodSync(file, PRIVATE_MODE);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function makeDirectory(dataDir: string): void {
  try {
    if (Deno.statSync(dataDir).isDirectory) return;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw asDataDirError(dataDir, "it", error);
    try {
      // Only for this user, because it will hold Secrets.
      return Deno.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw asDataDirError(dataDir, "it", error);
    }
  }
  throw new DataDirError(dataDir, "it is a file; name a directory instead");
}

function readHeader(dataDir: string, path: string): Uint8Array | undefined {
  try {
    using file = Deno.openSync(path);
    const header = new Uint8Array(HEADER_BYTES);
    return header.subarray(0, file.readSync(header) ?? 0);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw asDataDirError(dataDir, FILE, error);
  }
}

function checkHeader(dataDir: string, header: Uint8Array): void {
  const isDatabase = header.length === HEADER_BYTES && new TextDecoder().decode(header.subarray(0, 16)) === MAGIC;
  if (!isDatabase) {
    throw new DataDirError(dataDir, `its ${FILE} is damaged or no database; restore it, or name another directory`);
  }
  const view = new DataView(header.buffer);
  if (view.getUint32(APPLICATION_AT) !== APPLICATION_ID) {
    throw new DataDirError(dataDir, `its ${FILE} was made by another program; name another directory`);
  }
  const version = view.getUint32(FORMAT_AT);
  if (version === FORMAT_VERSION) return;
  throw new DataDirError(
    dataDir,
    `its ${FILE} has format ${version}, and this version reads format ${FORMAT_VERSION}; ` +
      "use the version that wrote it, or name another directory",
  );
}

/** Explains why the operating system or the database refused. */
export function asDataDirError(dataDir: string, what: string, cause: unknown): DataDirError {
  if (cause instanceof DataDirError) return cause;
  const text = errorText(cause).replace(/\s+/g, " ");
  return new DataDirError(dataDir, reasonOf(what, text, cause), { cause });
}

function reasonOf(what: string, text: string, cause: unknown): string {
  if (cause instanceof Deno.errors.NotCapable) {
    return `Deno was started without the right to use it (${text}); or name another directory`;
  }
  if (cause instanceof Deno.errors.PermissionDenied) {
    return `${what} may not be read and written by this user; change its permissions, or name another directory`;
  }
  if (/locked/.test(text)) return "another process uses it; end that one, or name another directory";
  if (/readonly|read-only/i.test(text)) {
    return `${what} may not be written by this user; change its permissions, or name another directory`;
  }
  if (/disk is full/.test(text)) return `${text}; make room, or name another directory`;
  if (/malformed|not a database|prepare|JSON/.test(text)) {
    return `its ${FILE} is damaged (${text}); restore it, or name another directory`;
  }
  return `${what} cannot be used (${text}); name another directory`;
}
