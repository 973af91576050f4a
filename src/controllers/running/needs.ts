import type { Resource } from "../../api/mod.ts";
import type { InformerScope } from "../../cache/mod.ts";
import type { CloudProvider } from "../../cloud/mod.ts";
import type { ControllerDrivers } from "./drivers.ts";

/**
 * What a controller needs besides informers of whole kinds, discovery, and requests of its own client. A group's thread
 * gets what its controllers' rows declare, and nothing else.
 *
 * @example
 * ```ts
 * import type { ControllerNeeds } from "kubeloop";
 * import { SECRETS } from "kubeloop/api";
 *
 * const needs: ControllerNeeds = {
 *   informers: [{ resource: SECRETS, fieldSelector: "type=kubernetes.io/service-account-token" }],
 *   files: ["root-ca-file"],
 *   keys: ["service-account-private-key-file"],
 * };
 * ```
 */
export interface ControllerNeeds {
  /**
   * Informers of Secrets in full, and those limited to a namespace or by a selector. Only a controller with an informer
   * of Secrets may also request them directly.
   */
  readonly informers?: readonly InformerNeed[];
  /** Flags that name a file whose text it reads. */
  readonly files?: readonly string[];
  /** Flags that name a file with a private key it signs with. The key stays in the main thread. */
  readonly keys?: readonly string[];
  /** Whether it makes and removes folders below `/tmp`. */
  readonly folders?: boolean;
  /** The flag that names a folder of volume drivers, whose programs the controller has run. */
  readonly drivers?: string;
  /** Whether it calls the cloud provider. kube-controller-manager accepts such a controller's name and skips it. */
  readonly cloud?: boolean;
}

export interface InformerNeed extends InformerScope {
  readonly resource: Resource;
}

/** The combined needs of these rows. */
export function needsOf(rows: readonly { readonly needs?: ControllerNeeds }[]): Required<ControllerNeeds> {
  return {
    informers: rows.flatMap(({ needs }) => needs?.informers ?? []),
    files: [...new Set(rows.flatMap(({ needs }) => needs?.files ?? []))],
    keys: [...new Set(rows.flatMap(({ needs }) => needs?.keys ?? []))],
    folders: rows.some(({ needs }) => needs?.folders),
    drivers: rows.find(({ needs }) => needs?.drivers)?.needs?.drivers ?? "",
    cloud: rows.some(({ needs }) => needs?.cloud),
  };
}

/** A controller used something that its row does not declare. */
export class UndeclaredNeedError extends Error {
  override readonly name = "UndeclaredNeedError";

  /** What it used, such as `the file of --root-ca-file`. */
  readonly what: string;

  constructor(what: string) {
    super(`Cannot give a controller ${what}: its row must declare it in "needs"`);
    this.what = what;
  }
}

/** Files that may change. */
export interface ControllerFiles {
  /**
   * The text of the file that a flag names, as last read; empty if the flag is not set.
   *
   * @throws {UndeclaredNeedError} If no row declares it.
   * @throws {Error} With path and reason, if it has never been readable.
   */
  text(flag: string): string;
  /** Calls `listener` with each new text until the returned object is disposed. @throws {UndeclaredNeedError} */
  onChange(flag: string, listener: (text: string) => void): Disposable;
}

/** As JWS names them: RSASSA-PKCS1-v1_5 and ECDSA, with SHA-2 of that many bits. */
export type SigningAlgorithm = "RS256" | "RS384" | "RS512" | "ES256" | "ES384" | "ES512";

export interface Signature {
  /** For ECDSA, r followed by s. */
  readonly signature: Uint8Array<ArrayBuffer>;
  /**
   * The signing key's SubjectPublicKeyInfo in DER: the file may have changed since {@link ControllerSigner.publicKey}
   * was called.
   */
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

/** Signs with private keys without revealing them. */
export interface ControllerSigner {
  /**
   * The public half of the key in the file that a flag names, as SubjectPublicKeyInfo in DER.
   *
   * @throws {UndeclaredNeedError} If no row declares it.
   * @throws {SigningError} If the file never held a key.
   */
  publicKey(flag: string): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * @param data At most 64 KiB.
   * @throws {UndeclaredNeedError} If no row declares the key.
   * @throws {SigningError} If the file never held a key, if its key is for another algorithm, or if too many requests
   * are open.
   */
  sign(flag: string, algorithm: SigningAlgorithm, data: Uint8Array<ArrayBuffer>): Promise<Signature>;
}

/** Something could not be signed. */
export class SigningError extends Error {
  override readonly name = "SigningError";
}

/** Folders below `/tmp` of the host that the manager runs on, which stand for volumes. */
export interface ControllerFolders {
  /**
   * Makes an empty folder.
   *
   * @returns Its path: `/tmp/hostpath_pv/UUID`.
   * @throws {UndeclaredNeedError} If no row declares folders.
   * @throws {FolderError} If it cannot be made.
   */
  make(): Promise<string>;
  /**
   * Removes a folder and its contents; does nothing if it does not exist.
   *
   * @throws {UndeclaredNeedError} If no row declares folders.
   * @throws {FolderError} If it is not below `/tmp`, may lead elsewhere, or cannot be removed.
   */
  remove(path: string): Promise<void>;
}

/** A folder could not be made or removed. */
export class FolderError extends Error {
  override readonly name = "FolderError";
}

/** What the main thread supplies for declared needs. */
export interface Supplies {
  readonly folders: ControllerFolders;
  readonly drivers: ControllerDrivers;
  readonly files: ControllerFiles;
  readonly signer: ControllerSigner;
  /** Absent if the program has no provider, or no row declares that it calls it. */
  readonly cloud?: CloudProvider;
}
