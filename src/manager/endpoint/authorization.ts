import type { MetricsRegistry, World } from "../../base/mod.ts";
import type { Verdict } from "./review_answers.ts";
import type { AccessReviews, Wish } from "./reviews.ts";
import type { User } from "./user.ts";

const PRIVILEGED_GROUP = "system:masters";
/** Upper bounds of the histogram, in seconds, doubling from one millisecond. */
const BUCKETS = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);

export interface AuthorizerOptions {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  /**
   * Paths that anybody may request, with or without the leading slash; a trailing `*` matches all paths with that
   * prefix.
   */
  readonly alwaysAllowPaths: readonly string[];
  /** Absent if there is no API server to ask; nothing else is then allowed. */
  readonly reviews?: Pick<AccessReviews, "ask">;
}

/**
 * Authorizes requests by path.
 *
 * Contract:
 * 1. Members of `system:masters` may ask for everything, everybody for the paths that are always allowed.
 * 2. The API server decides about everything else; if it cannot be asked, the answer is no.
 *
 * Upstream: `k8s.io/apiserver/pkg/server/options` (DelegatingAuthorizationOptions).
 */
export class Authorizer {
  readonly #options: AuthorizerOptions;
  readonly #attempts;
  readonly #durations;

  constructor(options: AuthorizerOptions) {
    this.#options = options;
    this.#attempts = options.metrics.counter({
      name: "authorization_attempts_total",
      help: "Counter of authorization attempts broken down by result. " +
        "It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
      labels: ["result"],
    });
    this.#durations = options.metrics.histogram({
      name: "authorization_duration_seconds",
      help: "Authorization duration in seconds broken out by result.",
      labels: ["result"],
      buckets: BUCKETS,
    });
  }

  /**
   * @param source Who gets the turn.
   * @throws {Error} If the API server cannot decide.
   */
  async decide(user: User, wish: Wish, source: string): Promise<Verdict> {
    const { clock } = this.#options.world;
    const startMs = clock.monotonicMs();
    let result = "error";
    try {
      const verdict = await this.#decide(user, wish, source);
      result = verdict.isAllowed ? "allowed" : "no-opinion";
      return verdict;
    } finally {
      this.#attempts.inc([result]);
      this.#durations.observe((clock.monotonicMs() - startMs) / 1000, [result]);
    }
  }

  async #decide(user: User, wish: Wish, source: string): Promise<Verdict> {
    const { alwaysAllowPaths, reviews } = this.#options;
    const asked = withoutSlash(wish.path);
    const isOpen = alwaysAllowPaths.map(withoutSlash).some((open) =>
      open.endsWith("*") ? asked.startsWith(open.slice(0, -1)) : open === asked
    );
    if (isOpen || user.groups.includes(PRIVILEGED_GROUP)) return { isAllowed: true, reason: "" };
    return await reviews?.ask(user, wish, source) ?? { isAllowed: false, reason: "" };
  }
}

/** Upstream: `k8s.io/apiserver/pkg/authorization/path`. */
function withoutSlash(path: string): string {
  return path.replace(/^\//, "");
}
