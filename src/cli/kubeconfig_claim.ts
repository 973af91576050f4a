import { dirname } from "@std/path";
import { errorText, sleep, type World } from "../base/mod.ts";
import { parseKubeconfig } from "../client/mod.ts";

/** What `dev` and `apiserver` call their cluster, user and context. */
export const DEV_CONTEXT = "kubeloop-dev";

/** A lock that is free is had at once; there is no asking without waiting in every runtime. */
const LOCK_WITHIN_MS = 1500;

/**
 * The kubeconfig of a server of this process: while that runs, no other one writes it.
 *
 * Contract:
 * 1. A file that another running `dev` or `apiserver` has written is refused, with that one's address.
 * 2. A file of anybody else's is refused, and left as it is.
 * 3. Only this user may read what is written.
 * 4. The claim ends with the process, however that ends.
 */
export class KubeconfigClaim implements Disposable {
  readonly path: string;
  readonly #file: Deno.FsFile;

  private constructor(path: string, file: Deno.FsFile) {
    this.path = path;
    this.#file = file;
  }

  /** @throws {Error} In one line, if the file cannot be had. */
  static async of(world: Pick<World, "clock">, path: string): Promise<KubeconfigClaim> {
    const file = await openFile(path);
    try {
      const text = new TextDecoder().decode(await Deno.readFile(path));
      const server = serverIn(text, path);
      // The file is locked, not one beside it: kubectl takes that for its own lock.
      const waiting = new AbortController();
      const isFree = await Promise.race([
        file.lock(true).then(() => true),
        sleep(world.clock, LOCK_WITHIN_MS, waiting.signal).then(() => false),
      ]);
      waiting.abort();
      if (!isFree) {
        throw new Error(
          `Cannot write the kubeconfig ${JSON.stringify(path)}: another kubeloop, at ${
            server || "another port"
          }, runs ` +
            "and has written it; end that one, or start this one with --port 0 and --kubeconfig FILE",
        );
      }
      return new KubeconfigClaim(path, file);
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** @throws {Error} In one line, if the file cannot be written. */
  async write(text: string): Promise<void> {
    try {
      // It may hold a token, and the file may have been readable for all.
      await Deno.chmod(this.path, 0o600);
      await this.#file.truncate();
      await this.#file.seek(0, Deno.SeekMode.Start);
      for (let bytes = new TextEncoder().encode(text); bytes.length > 0;) {
        bytes = bytes.subarray(await this.#file.write(bytes));
      }
    } catch (error) {
      throw unwritable(this.path, error);
    }
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}

async function openFile(path: string): Promise<Deno.FsFile> {
  try {
    await Deno.mkdir(dirname(path), { recursive: true });
    return await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
  } catch (error) {
    throw unwritable(path, error);
  }
}

function unwritable(path: string, cause: unknown): Error {
  return new Error(`Cannot write the kubeconfig ${JSON.stringify(path)}: ${errorText(cause)}`, { cause });
}

/** Which server a kubeconfig that this program wrote names; empty for an empty file. @throws {Error} For any other file. */
function serverIn(text: string, path: string): string {
  if (text.trim() === "") return "";
  try {
    const { clusters } = parseKubeconfig(text, path);
    const own = clusters.get(DEV_CONTEXT);
    if (own && clusters.size === 1) return own.server;
  } catch {
    // Whatever it is, it is not ours.
  }
  throw new Error(
    `Cannot write the kubeconfig ${
      JSON.stringify(path)
    }: the file was not written by kubeloop, and is left as it is; ` +
      "name another file with --kubeconfig",
  );
}
