import { decodeBase64Url } from "@std/encoding/base64url";
import type { TokenReviewSpec } from "../../../api/mod.ts";
import { LruMap } from "../../../base/mod.ts";
import { ApiError, attempt, badRequest } from "../base/mod.ts";
import type { ServerState } from "../operations/mod.ts";
import { userOfBootstrapToken } from "./bootstrap_tokens.ts";
import { ISSUER, userOfBoundToken } from "./bound_tokens.ts";
import { type ClientCertificate, userOfCertificate } from "./client_certificate.ts";
import { SECRET_TOKEN_ISSUER, userOfSecretToken } from "./secret_tokens.ts";
import { type Claims, ServiceAccountKeys, TokenError } from "./service_account_keys.ts";
import { ADMINISTRATOR, ANONYMOUS, type User, userInfo } from "../access/mod.ts";

/** How many verified signatures are remembered. */
const REMEMBERED_TOKENS = 1024;
const ADMIN_TOKEN_FACT = "admin-token";
const API_AUDIENCES = [ISSUER];

/** Settings of {@link Authenticator}. */
export interface AuthenticatorOptions {
  /** Whether a request without credentials is the administrator's or `system:anonymous`'s. */
  readonly mode: "none" | "required";
  /** The administrator's token; by default one that is generated once and kept with the data. */
  readonly adminToken?: string;
  /** Public or private keys in PEM with which others sign service account tokens. */
  readonly serviceAccountKeys?: readonly string[];
}

/** The user of a token, and which of the requested audiences it is valid for. */
interface TokenHolder {
  readonly user: User;
  readonly audiences: readonly string[];
}

/**
 * Authenticates the sender of a request. Upstream: `pkg/kubeapiserver/authenticator`.
 *
 * Contract:
 * 1. A client certificate takes precedence over a token.
 * 2. A token is the administrator's, one with which a machine joins, or a service account's by its signature: it is
 *    valid in every process over the same data, until it expires or what it is bound to is gone. Any other is refused
 *    with 401, in every mode.
 * 3. A request without credentials is anonymous, or the administrator's if the mode is `none`.
 */
export class Authenticator {
  readonly keys: ServiceAccountKeys;
  readonly #state: ServerState;
  readonly #withoutCredentials: User;
  readonly #verified = new LruMap<string, Claims>(REMEMBERED_TOKENS);
  #adminToken: string | undefined;

  /** @throws {TypeError} If a key is invalid. */
  constructor(state: ServerState, { mode, adminToken, serviceAccountKeys }: AuthenticatorOptions) {
    this.#state = state;
    this.#adminToken = adminToken;
    this.keys = new ServiceAccountKeys({ facts: state.store.facts, publicKeys: serviceAccountKeys });
    this.#withoutCredentials = mode === "none" ? ADMINISTRATOR : ANONYMOUS;
  }

  get adminToken(): string {
    return this.#adminToken ??= this.#keptAdminToken();
  }

  /** @throws {ApiError} 401 if credentials are shown but not accepted. */
  async userOf(headers: Headers, certificate?: ClientCertificate): Promise<User> {
    const holder = certificate?.isVerified ? userOfCertificate(certificate) : undefined;
    if (holder) return holder;
    const token = bearerToken(headers);
    if (token === undefined) {
      if (certificate?.isVerified === false) throw unauthorized();
      return this.#withoutCredentials;
    }
    try {
      return (await this.#holderOf(token)).user;
    } catch (error) {
      if (error instanceof TokenError) throw unauthorized();
      throw error;
    }
  }

  /**
   * The status of a TokenReview. Upstream: `pkg/registry/authentication/tokenreview`.
   *
   * @throws {ApiError} 400 if it contains no token.
   */
  async review({ token, audiences }: TokenReviewSpec): Promise<object> {
    if (!token) throw badRequest("token is required for TokenReview in authentication");
    try {
      const holder = await this.#holderOf(token, audiences?.length ? audiences : undefined);
      return { authenticated: true, user: userInfo(holder.user), audiences: holder.audiences };
    } catch (error) {
      if (error instanceof TokenError) return { user: {}, error: error.message };
      throw error;
    }
  }

  /** @throws {TokenError} If the token is unknown or valid for none of `audiences`. */
  async #holderOf(token: string, audiences: readonly string[] = API_AUDIENCES): Promise<TokenHolder> {
    const shared = API_AUDIENCES.filter((audience) => audiences.includes(audience));
    if (token === this.adminToken && shared.length > 0) return { user: ADMINISTRATOR, audiences: shared };
    const { store, world } = this.#state;
    const joining = userOfBootstrapToken(token, { store, nowMs: world.clock.wallMs() });
    if (joining && shared.length > 0) return { user: joining, audiences: shared };
    const issuer = issuerOf(token);
    if (issuer !== ISSUER && issuer !== SECRET_TOKEN_ISSUER) throw new TokenError("invalid bearer token");
    try {
      const claims = await this.#claimsOf(token);
      return issuer === ISSUER ? this.#bound(claims, audiences) : this.#inSecret(token, claims, shared);
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      // No other authenticator knows the token either.
      throw new TokenError(`[invalid bearer token, ${error.message}]`);
    }
  }

  #bound(claims: Claims, audiences: readonly string[]): TokenHolder {
    const own = Array.isArray(claims.aud) ? claims.aud.map(String) : [String(claims.aud ?? ISSUER)];
    const shared = own.filter((audience) => audiences.includes(audience));
    if (shared.length === 0) throw wrongAudience(own, audiences);
    const { store, world } = this.#state;
    return { user: userOfBoundToken(claims, { store, nowMs: world.clock.wallMs() }), audiences: shared };
  }

  #inSecret(token: string, claims: Claims, shared: readonly string[]): TokenHolder {
    if (shared.length === 0) throw wrongAudience(API_AUDIENCES, shared);
    return { user: userOfSecretToken(token, claims, this.#state), audiences: shared };
  }

  async #claimsOf(token: string): Promise<Claims> {
    const known = this.#verified.get(token);
    if (known) return known;
    const claims = await this.keys.verify(token);
    this.#verified.set(token, claims);
    return claims;
  }

  #keptAdminToken(): string {
    const { store: { facts }, world: { random } } = this.#state;
    const known = facts.readFact(ADMIN_TOKEN_FACT);
    if (known !== undefined) return known;
    const token = (random.uuid() + random.uuid()).replaceAll("-", "");
    facts.writeFact(ADMIN_TOKEN_FACT, token);
    return token;
  }
}

/** The response to invalid credentials, and to missing ones where they are required. */
export function unauthorized(): ApiError {
  return new ApiError(401, "Unauthorized", "Unauthorized");
}

function wrongAudience(own: readonly string[], wanted: readonly string[]): TokenError {
  const list = (audiences: readonly string[]) => `[${audiences.map((audience) => JSON.stringify(audience)).join(" ")}]`;
  return new TokenError(`token audiences ${list(own)} is invalid for the target audiences ${list(wanted)}`);
}

function bearerToken(headers: Headers): string | undefined {
  const [scheme, token] = (headers.get("authorization") ?? "").trim().split(" ");
  return scheme.toLowerCase() === "bearer" && token ? token : undefined;
}

/** The issuer that a token claims to have; not verified. */
function issuerOf(token: string): unknown {
  const parts = token.split(".");
  if (parts.length !== 3) return undefined;
  return attempt(() => JSON.parse(new TextDecoder().decode(decodeBase64Url(parts[1]))).iss);
}
