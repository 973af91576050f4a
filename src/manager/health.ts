/** A named check. `run` returns why it fails, or `undefined`. */
export interface HealthCheck {
  readonly name: string;
  run(): string | undefined;
  /** Why it is not ready although it is healthy: a temporary condition does not justify a restart. */
  isNotReady?(): string | undefined;
}

const PING: HealthCheck = { name: "ping", run: () => undefined };

/** A check's result. */
export interface CheckResult {
  readonly name: string;
  readonly holds: boolean;
}

/**
 * Answers `/healthz`.
 *
 * Contract:
 * 1. It is healthy when every check holds; checks run in the order in which they were added.
 * 2. `?verbose` and every failure list each check; why one fails is withheld from the answer.
 * 3. `?exclude=NAME` leaves a check out and says so; an unknown name is warned about.
 * 4. Without any other check there is `ping`, which always holds.
 *
 * Upstream: `k8s.io/apiserver/pkg/server/healthz`.
 */
export class Health {
  readonly #added: HealthCheck[] = [];
  readonly #notes: (() => readonly string[])[] = [];
  readonly #observe: (name: string, holds: boolean) => void;

  /** @param observe Called with each result of {@link check}. */
  constructor(observe: (name: string, holds: boolean) => void = () => {}) {
    this.#observe = observe;
  }

  get #checks(): readonly HealthCheck[] {
    return this.#added.length > 0 ? this.#added : [PING];
  }

  add(...checks: readonly HealthCheck[]): void {
    this.#added.push(...checks);
  }

  /** Adds notes that are worth showing but are not failures; one line each. */
  addNotes(notes: () => readonly string[]): void {
    this.#notes.push(notes);
  }

  /** The current notes of {@link Health.addNotes}. */
  notes(): string[] {
    return this.#notes.flatMap((notes) => notes());
  }

  /** Every check in the order they were added, with the reason if it is not ready. */
  readiness(): { readonly name: string; readonly reason: string | undefined }[] {
    return this.#checks.map((check) => ({ name: check.name, reason: check.run() ?? check.isNotReady?.() }));
  }

  /** Names and reasons of the checks that currently fail. */
  failures(): { readonly name: string; readonly reason: string }[] {
    return this.#checks.flatMap(({ name, run }) => {
      const reason = run();
      return reason === undefined ? [] : [{ name, reason }];
    });
  }

  /** Runs every check. */
  check(): CheckResult[] {
    return this.#checks.map(({ name, run }) => {
      const holds = run() === undefined;
      this.#observe(name, holds);
      return { name, holds };
    });
  }

  /** Answers `request` with the checks' results. */
  respond(request: Request, results: readonly CheckResult[] = this.check()): Response {
    const { searchParams } = new URL(request.url);
    const excluded = new Set(searchParams.getAll("exclude"));
    const lines: string[] = [];
    let healthy = true;
    for (const { name, holds } of results) {
      if (excluded.delete(name)) {
        lines.push(`[+]${name} excluded: ok`);
        continue;
      }
      lines.push(holds ? `[+]${name} ok` : `[-]${name} failed: reason withheld`);
      healthy &&= holds;
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
