import { encodeBase64Url } from "@std/encoding/base64url";
import type { Secret, ServiceAccount } from "../../api/mod.ts";
import { type ControllerSigner, type SigningAlgorithm, SigningError } from "../running/mod.ts";
import { signingAlgorithm } from "./signing_algorithm.ts";

/** The issuer, which distinguishes these tokens from those that the API server issues. */
const ISSUER = "kubernetes/serviceaccount";
const CLAIM = "kubernetes.io/serviceaccount/";
/** The key's file may change between two uses; if that happens three times in a row, something else is wrong. */
const MOST_TRIES = 3;

/** Makes the tokens for Secrets, which never expire. Upstream: `pkg/serviceaccount` (jwt.go, legacy.go). */
export class TokenSigner {
  readonly #signer: ControllerSigner;
  readonly #flag: string;

  /** @param flag The flag that names the key's file. */
  constructor(signer: ControllerSigner, flag: string) {
    this.#signer = signer;
    this.#flag = flag;
  }

  /** @throws {SigningError} If there is no key, or none that can sign tokens. */
  async check(): Promise<void> {
    signingAlgorithm(await this.#signer.publicKey(this.#flag));
  }

  /**
   * The token of `account` for `secret`, a JSON Web Signature.
   *
   * @throws {SigningError} If it cannot be signed.
   */
  async tokenFor(account: ServiceAccount, secret: Secret): Promise<string> {
    const payload = base64Url(JSON.stringify(claimsOf(account, secret)));
    let publicKey = await this.#signer.publicKey(this.#flag);
    for (let tries = 1;; tries++) {
      const algorithm = signingAlgorithm(publicKey);
      const content = `${base64Url(JSON.stringify({ alg: algorithm, kid: await keyIdOf(publicKey) }))}.${payload}`;
      const signed = await this.#sign(algorithm, content, publicKey);
      if (signed.signature) return `${content}.${encodeBase64Url(signed.signature)}`;
      if (tries === MOST_TRIES) {
        throw new SigningError(`Cannot sign a token: the key of --${this.#flag} keeps changing`);
      }
      publicKey = signed.publicKey;
    }
  }

  /** Signs with the key that `content` names; `undefined` if the key has changed by now. */
  async #sign(
    algorithm: SigningAlgorithm,
    content: string,
    publicKey: Uint8Array<ArrayBuffer>,
  ): Promise<{ readonly signature?: Uint8Array; readonly publicKey: Uint8Array<ArrayBuffer> }> {
    try {
      const signed = await this.#signer.sign(this.#flag, algorithm, new TextEncoder().encode(content));
      return isSame(signed.publicKey, publicKey) ? signed : { publicKey: signed.publicKey };
    } catch (error) {
      const present = await this.#signer.publicKey(this.#flag);
      if (isSame(present, publicKey)) throw error;
      return { publicKey: present };
    }
  }
}

/** Sorted by name, as upstream's. */
function claimsOf(account: ServiceAccount, secret: Secret): Readonly<Record<string, string>> {
  const { namespace = "", name = "", uid = "" } = account.metadata ?? {};
  return {
    iss: ISSUER,
    [`${CLAIM}namespace`]: namespace,
    [`${CLAIM}secret.name`]: secret.metadata?.name ?? "",
    [`${CLAIM}service-account.name`]: name,
    [`${CLAIM}service-account.uid`]: uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}

/** The ID by which an API server finds the key. Upstream: keyIDFromPublicKey. */
async function keyIdOf(publicKey: Uint8Array<ArrayBuffer>): Promise<string> {
  return encodeBase64Url(await crypto.subtle.digest("SHA-256", publicKey));
}

function base64Url(text: string): string {
  return encodeBase64Url(new TextEncoder().encode(text));
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
