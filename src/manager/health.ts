/** A named check; `run` says why it fails, or nothing when it holds. */
export interface HealthCheck {
  readonly name: string;
  run(): string | undefined;
}

/**
 * The answers of `/healthz`.
 *
 * Contract:
 * 1. It is healthy when every check holds; checks run in the order in which they were added.
 * 2. `?verbose` and every failure list each check; why one fails is withheld from the answer.
 * 3. `?exclude=NAME` leaves a check out and says so; an unknown name is warned about.
 *
 * Upstream: `k8s.io/apiserver/pkg/server/healthz`.
 */
export class Health {
  readonly #checks: HealthCheck[] = [];

  add(...checks: readonly HealthCheck[]): void {
    this.#checks.push(...checks);
  }

  /** Names and reasons of the checks that fail now. */
  failures(): { readonly name: string; readonly reason: string }[] {
    return this.#checks.flatMap(({ name, run }) => {
      const reason = run();
      return reason === undefined ? [] : [{ name, reason }];
    });
  }

  /** Answers `request`. */
  respond(request: Request): Response {
    const { searchParams } = new URL(request.url);
    const excluded = new Set(searchParams.getAll("exclude"));
    const lines: string[] = [];
    let healthy = true;
    for (const { name, run } of this.#checks) {
      if (excluded.delete(name)) lines.push(`[+]${name} excluded: ok`);
      else if (run() === undefined) lines.push(`[+]${name} ok`);
      else {
        healthy = false;
        lines.push(`[-]${name} failed: reason withheld`);
      }
    }
    if (excluded.size > 0) {
      const names = [...excluded].map((name) => JSON.stringify(name)).join(", ");
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
    }
    lines.push(healthy ? "healthz check passed" : "healthz check failed", "");
    const body = healthy && !searchParams.has("verbose") ? "ok" : lines.join("\n");
    return new Response(body, {
      status: healthy ? 200 : 500,
      headers: {
        "content-type": "text/plain; charset=utf-8",
        "cache-control": "no-cache, private",
        "x-content-type-options": "nosniff",
      },
    });
  }
}
