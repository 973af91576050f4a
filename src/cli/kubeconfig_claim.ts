import { dirname } from "@std/path";
import { errorText, sleep, type World } from "../base/mod.ts";
import { parseKubeconfig } from "../client/mod.ts";

/** The name of the cluster, user and context of `dev` and `apiserver`. */
export const DEV_CONTEXT = "kubeloop-dev";

/** A free lock is acquired at once; not every runtime can try a lock without waiting. */
const LOCK_WITHIN_MS = 1500;

/**
 * Claims the kubeconfig of a server in this process: while it runs, no other process writes the file.
 *
 * Contract:
 * 1. A file written by another running `dev` or `apiserver` is refused, and the error gives that one's address.
 * 2. A file that kubeloop did not write is refused and left unchanged.
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

  /** @throws {Error} A one-line message, if the file cannot be claimed. */
  static async of(world: Pick<World, "clock">, path: string): Promise<KubeconfigClaim> {
    const file = await openFile(path);
    try {
      const text = new TextDecoder().decode(await Deno.readFile(path));
      const server = serverIn(text, path);
      // Locks the file itself: kubectl would treat a lock file beside it as its own.
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

  /** @throws {Error} A one-line message, if the file cannot be written. */
  async write(text: string): Promise<void> {
    try {
      // It may contain a token, and the file may have been world-readable.
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

/**
 * The server in a kubeconfig that this program wrote; empty for an empty file.
 * @throws {Error} For any other file.
 */
function serverIn(text: string, path: string): string {
  if (text.trim() === "") return "";
  try {
    const { clusters } = parseKubeconfig(text, path);
    const own = clusters.get(DEV_CONTEXT);
    if (own && clusters.size === 1) return own.server;
  } catch {
    // It is not one of ours.
  }
  throw new Error(
    `Cannot write the kubeconfig ${
      JSON.stringify(path)
    }: the file was not written by kubeloop, and is left as it is; ` +
      "name another file with --kubeconfig",
  );
}
