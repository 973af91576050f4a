import { encodeBase64Url } from "@std/encoding/base64url";
import type { Environment, User } from "./environment.ts";

/** What a bearer token that this server issued stands for. */
export interface IssuedToken {
  readonly user: User;
  readonly audiences: readonly string[];
  readonly expiresAtMs: number;
  /** Keys of objects that must still exist with that uid. */
  readonly bound: ReadonlyArray<{ readonly collection: string; readonly key: string; readonly uid: string }>;
}

const ADMIN: User = { username: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] };

/** Knows the tokens that this server issued. Anyone without one is the administrator: there is no real authentication yet. */
export class Identities {
  readonly #tokens = new Map<string, IssuedToken>();
  #signingKey: Promise<CryptoKeyPair> | undefined;

  /** A JWT (ES256) of these claims, signed with a key that lives as long as the server. */
  async sign(claims: object): Promise<string> {
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    this.#signingKey ??= crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]) as Promise<CryptoKeyPair>;
    const { privateKey } = await this.#signingKey;
    const part = (value: object) => encodeBase64Url(JSON.stringify(value));
    const text = `${part({ alg: "ES256", kid: "sandbox" })}.${part(claims)}`;
    const bytes = new TextEncoder().encode(text);
    const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, bytes);
    return `${text}.${encodeBase64Url(new Uint8Array(signature))}`;
  }

  issue(token: string, issued: IssuedToken): void {
    this.#tokens.set(token, issued);
  }

  /** Who sends a request. */
  userOf(state: Environment, request: Request): User {
    const token = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    return (token && this.check(state, token)?.user) || ADMIN;
  }

  /** The token, if it is one of ours and still valid. */
  check({ store, world }: Pick<Environment, "store" | "world">, token: string): IssuedToken | undefined {
    const issued = this.#tokens.get(token);
    if (!issued) return undefined;
    const isBound = issued.bound.every(({ collection, key, uid }) => store.get(collection, key)?.metadata.uid === uid);
    if (isBound && issued.expiresAtMs > world.clock.wallMs()) return issued;
    this.#tokens.delete(token);
    return undefined;
  }
}
