import {
  Authenticator,
  type AuthenticatorOptions,
  type ClientCertificate,
  impersonated,
  unauthorized,
  wantsImpersonation,
} from "./authentication/mod.ts";
import { ANONYMOUS, type User } from "./access/mod.ts";
import { accessForbidden, accessOf } from "./authorization/mod.ts";
import type { ServerState } from "./operations/mod.ts";

/** Anonymous users may read these where authentication is required but everything is allowed. */
const PUBLIC_PATHS = /^\/(healthz|livez|readyz|version)(\/|$)/;

/** How requests are authenticated and authorized. */
export interface GateOptions extends AuthenticatorOptions {
  readonly authorization: "AlwaysAllow" | "RBAC";
}

/**
 * Decides which requests come in, and as whose.
 *
 * Contract:
 * 1. A request whose credentials are not accepted is refused with 401.
 * 2. A request to act as somebody else is refused with 403 unless its sender may impersonate that user.
 * 3. Whatever the user may not do is refused with 403, whether or not it exists.
 * 4. With AlwaysAllow, a request without credentials where they are required can read health and version only;
 *    everything else is refused with 401.
 */
export class Gate {
  readonly authenticator: Authenticator;
  readonly #state: ServerState;
  readonly #checksAccess: boolean;

  constructor(state: ServerState, { authorization, ...options }: GateOptions) {
    this.#state = state;
    this.authenticator = new Authenticator(state, options);
    this.#checksAccess = authorization !== "AlwaysAllow";
  }

  /**
   * Who a request is from, once it is let in.
   *
   * @throws {ApiError} 401 or 403.
   */
  async admit({ headers, method }: Request, url: URL, certificate?: ClientCertificate): Promise<User> {
    const sender = await this.authenticator.userOf(headers, certificate);
    const user = wantsImpersonation(headers)
      ? impersonated(headers, accessOf(sender, method, url), this.#state)
      : sender;
    if (!this.#checksAccess) {
      if (user === ANONYMOUS && !PUBLIC_PATHS.test(url.pathname)) throw unauthorized();
      return user;
    }
    const access = accessOf(user, method, url);
    const { allowed, reason } = this.#state.authorize(access);
    if (!allowed) throw accessForbidden(access, reason);
    return user;
  }
}
