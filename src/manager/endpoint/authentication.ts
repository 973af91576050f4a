import { errorText, type MetricsRegistry, QueueFullError, type World } from "../../base/mod.ts";
import { type Peer } from "../../https/mod.ts";
import type { CertificateReviews } from "./certificate_reviews.ts";
import type { TokenReviews } from "./reviews.ts";
import type { FrontProxy, Trusted } from "./trust.ts";
import { ANONYMOUS, authenticated, type User } from "./user.ts";

/** Upper bounds of the histograms, in seconds, doubling from one millisecond. */
const BUCKETS = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);

/** Users that metrics count by name; there may be any number of others. */
const COUNTED_USERS = new Set([
  "admin",
  "client",
  "kube_proxy",
  "kubelet",
  "system:serviceaccount:kube-system:default",
]);

export interface EndpointAuthenticatorOptions {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  /** Called for every request, because the value changes. */
  readonly trusted: () => Trusted;
  readonly certificates: CertificateReviews;
  /** Absent if there is no API server to ask; bearer tokens then authenticate nobody. */
  readonly tokens?: Pick<TokenReviews, "userOf">;
}

/**
 * Authenticates requests.
 *
 * Contract:
 * 1. A front proxy's headers, a client certificate and a bearer token are tried in this order; the first that names
 *    somebody counts.
 * 2. A request whose credentials are all invalid is refused: it is not even anonymous.
 * 3. A request without credentials is `system:anonymous`.
 *
 * Upstream: `k8s.io/apiserver/pkg/authentication/authenticatorfactory/delegating.go`.
 */
export class EndpointAuthenticator {
  readonly #options: EndpointAuthenticatorOptions;
  readonly #attempts;
  readonly #durations;
  readonly #users;

  constructor(options: EndpointAuthenticatorOptions) {
    this.#options = options;
    const { metrics } = options;
    this.#attempts = metrics.counter({
      name: "authentication_attempts",
      help: "Counter of authenticated attempts.",
      labels: ["result"],
    });
    this.#durations = metrics.histogram({
      name: "authentication_duration_seconds",
      help: "Authentication duration in seconds broken out by result.",
      labels: ["result"],
      buckets: BUCKETS,
    });
    this.#users = metrics.counter({
      name: "authenticated_user_requests",
      help: "Counter of authenticated requests broken out by username.",
      labels: ["username"],
    });
  }

  /**
   * @returns `undefined` if the request must be refused.
   * @throws {QueueFullError} If too many requests wait for the API server, or for certificates to be verified.
   */
  async userOf(request: Request, peer: Peer): Promise<User | undefined> {
    const { clock, log } = this.#options.world;
    const startMs = clock.monotonicMs();
    const ends: string[] = [];
    let user: User | undefined;
    for (const way of [this.#frontProxy, this.#certificate, this.#token]) {
      try {
        user = await way.call(this, request, peer);
      } catch (error) {
        if (error instanceof QueueFullError) throw error;
        ends.push(errorText(error));
      }
      if (user) break;
    }
    if (!user && ends.length > 0) log.error("Unable to authenticate the request", { err: `[${ends.join(", ")}]` });
    else user ??= ANONYMOUS;
    const result = user ? "success" : "error";
    this.#attempts.inc([result]);
    this.#durations.observe((clock.monotonicMs() - startMs) / 1000, [result]);
    if (!user) return undefined;
    this.#users.inc([COUNTED_USERS.has(user.name) ? user.name : "other"]);
    return authenticated(user);
  }

  async #frontProxy(_request: Request, peer: Peer): Promise<User | undefined> {
    const { frontProxy } = this.#options.trusted();
    if (!frontProxy) return undefined;
    const proxy = await this.#options.certificates.userOf(peer, frontProxy.authorities);
    if (!proxy) return undefined;
    if (frontProxy.allowedNames.length > 0 && !frontProxy.allowedNames.includes(proxy.name)) {
      throw new Error(`x509: subject with cn=${proxy.name} is not in the allowed list`);
    }
    return userOfHeaders(peer, frontProxy);
  }

  async #certificate(_request: Request, peer: Peer): Promise<User | undefined> {
    const { trusted, certificates } = this.#options;
    const { clients } = trusted();
    return clients && await certificates.userOf(peer, clients);
  }

  async #token(request: Request, { source }: Peer): Promise<User | undefined> {
    const { tokens } = this.#options;
    const [, token] = /^bearer +(\S+)/i.exec(request.headers.get("authorization") ?? "") ?? [];
    if (token === undefined || !tokens) return undefined;
    const user = await tokens.userOf(token, source);
    if (!user) throw new Error("invalid bearer token");
    return user;
  }
}

function userOfHeaders(peer: Peer, proxy: FrontProxy): User | undefined {
  const first = (names: readonly string[]) =>
    names.flatMap((name) => peer.headerValues(name.toLowerCase())).find((value) => value !== "");
  const name = first(proxy.usernameHeaders);
  if (name === undefined) return undefined;
  const extra: [key: string, values: string[]][] = [];
  for (const prefix of proxy.extraPrefixes.map((text) => text.toLowerCase())) {
    for (const header of peer.headerNames) {
      if (header.startsWith(prefix)) {
        extra.push([unescaped(header.slice(prefix.length)), [...peer.headerValues(header)]]);
      }
    }
  }
  return {
    name,
    uid: first(proxy.uidHeaders),
    groups: proxy.groupHeaders.flatMap((header) => peer.headerValues(header.toLowerCase())),
    // A key may be `__proto__`, which plain assignment would treat specially.
    extra: Object.fromEntries(extra),
  };
}

/** Keys of extras are percent-encoded; a malformed one is used unchanged. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
