import { errorText, type Logger } from "../../base/mod.ts";
import {
  type ControllerFiles,
  type ControllerSigner,
  type Signature,
  type SigningAlgorithm,
  SigningError,
  UndeclaredNeedError,
} from "../../controllers/mod.ts";
import { ALGORITHMS, type PrivateKey, readPrivateKey } from "./private_key.ts";

/** Unsigned tokens and certificates take a few kilobytes. */
const MOST_SIGNED_BYTES = 64 * 1024;

/** The last content of a file. */
interface Loaded {
  readonly text: string;
  readonly key: Promise<PrivateKey>;
}

/**
 * Signs with the keys in files.
 *
 * Contract:
 * 1. The key is the one in the file's current text; while that holds none, the last one stays.
 * 2. A key of another kind signs nothing.
 */
export class SigningKeys implements ControllerSigner {
  readonly #log: Logger;
  readonly #files: ControllerFiles;
  readonly #loaded = new Map<string, Loaded>();

  constructor(log: Logger, files: ControllerFiles) {
    this.#log = log;
    this.#files = files;
  }

  async publicKey(flag: string): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.#key(flag)).publicKey;
  }

  async sign(flag: string, algorithm: SigningAlgorithm, data: Uint8Array<ArrayBuffer>): Promise<Signature> {
    // Data from a thread may have any type.
    if (!(data instanceof Uint8Array) || !(data.buffer instanceof ArrayBuffer) || data.length > MOST_SIGNED_BYTES) {
      throw new SigningError(`Cannot sign with the key of --${flag}: what is signed must be bytes, at most 64 KiB`);
    }
    const { publicKey, keys } = await this.#key(flag);
    const key = keys.get(algorithm);
    if (!key) {
      const fitting = [...keys.keys()].join(", ");
      throw new SigningError(`Cannot sign with the key of --${flag} by ${algorithm}: it signs by ${fitting}`);
    }
    return { signature: new Uint8Array(await crypto.subtle.sign(ALGORITHMS[algorithm], key, data)), publicKey };
  }

  async #key(flag: string): Promise<PrivateKey> {
    const text = this.#textOf(flag);
    const before = this.#loaded.get(flag);
    if (before?.text === text) return await before.key;
    const key = readPrivateKey(text).catch((err: SigningError) => {
      const failure = new SigningError(`Cannot read the key of --${flag}: ${err.message}`);
      if (!before) throw failure;
      this.#log.error("Cannot use a changed key; the last one stays", { flag, err: failure });
      return before.key;
    });
    this.#loaded.set(flag, { text, key });
    return await key;
  }

  #textOf(flag: string): string {
    try {
      return this.#files.text(flag);
    } catch (error) {
      if (error instanceof UndeclaredNeedError) throw new UndeclaredNeedError(`the key of --${flag}`);
      throw new SigningError(errorText(error));
    }
  }
}
