import { type Clock, errorText, sleep } from "../../base/mod.ts";
import { NO_CACHE, refusal, textAnswer } from "./answers.ts";
import type { Route } from "./routes.ts";

/** The default duration of a profile. */
const PROFILE_SECONDS = 30;
/** A profile grows until it ends, and no client can be relied on to end it early. */
const MOST_SECONDS = 300;
/** A hundred samples per second, as in Go; ten times as many would be ten times as much to serialise at once. */
const SAMPLE_MICROSECONDS = 10_000;
const PREFIX = "/debug/pprof/";

const PROFILES: Readonly<Record<string, string>> = {
  heap: "How the heap of the main thread is filled. No object is shown: objects hold credentials.",
  profile:
    "A CPU profile of the main thread, for the developer tools of Chrome (.cpuprofile). ?seconds=N says how long.",
  symbol: "Nothing: profiles name their functions.",
  trace: "Nothing: this runtime has no traces.",
};

/**
 * `/debug/pprof/`: this runtime's profiles at upstream's paths, in the runtime's own formats.
 *
 * Contract:
 * 1. A CPU profile is taken if the process may inspect itself, one at a time; else the answer is 500 and says what is
 *    missing. One of more than 300 seconds is refused with 400.
 * 2. Once `signal` aborts, a profile ends and is answered as far as it came: nobody can wait for it when the process
 *    ends.
 * 3. A profile that is not supported is answered with 404, as upstream answers an unknown one.
 *
 * Upstream: `k8s.io/apiserver/pkg/server/routes/profiling.go`, `net/http/pprof`.
 */
export function profilingRoutes(clock: Clock, signal: AbortSignal): Route[] {
  const profiler = new Profiler(clock, signal);
  return [
    {
      path: "/debug/pprof",
      answer: ({ method }) =>
        new Response(method === "GET" ? `<a href="${PREFIX}">Found</a>.\n\n` : null, {
          status: 302,
          headers: { location: PREFIX, "content-type": "text/html; charset=utf-8", ...NO_CACHE },
        }),
    },
    { path: PREFIX, answer: indexPage },
    {
      path: `${PREFIX}profile`,
      answer: ({ url }) => profiler.answer(Number(new URL(url).searchParams.get("seconds"))),
    },
    { path: `${PREFIX}heap`, answer: heapPage },
    { path: `${PREFIX}symbol`, answer: () => textAnswer("num_symbols: 0\n") },
    { path: `${PREFIX}trace`, answer: () => refusal(500, "Could not enable tracing: this runtime has no traces") },
    { path: `${PREFIX}*`, answer: () => refusal(404, "Unknown profile") },
  ];
}

function indexPage(): Response {
  const rows = Object.entries(PROFILES).map(([name, what]) =>
    `<tr><td><a href="${name}">${name}</a></td><td>${what}</td>`
  );
  const lines = ["<html>", "<head>", `<title>${PREFIX}</title>`, "</head>", "<body>", PREFIX, "<table>", ...rows];
  return new Response([...lines, "</table>", "</body>", "</html>", ""].join("\n"), {
    headers: { "content-type": "text/html; charset=utf-8", ...NO_CACHE },
  });
}

async function heapPage(): Promise<Response> {
  const { getHeapStatistics } = await import("node:v8");
  const lines = Object.entries({ ...getHeapStatistics(), ...Deno.memoryUsage() })
    .map(([name, value]) => `${name} ${value}`);
  return textAnswer(`${lines.join("\n")}\n`);
}

class Profiler {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #isBusy = false;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  async answer(seconds: number): Promise<Response> {
    if (seconds > MOST_SECONDS) return refusal(400, `profile duration exceeds ${MOST_SECONDS} seconds`);
    const refused = (why: string) => refusal(500, `Could not enable CPU profiling: ${why}`);
    if (this.#isBusy) return refused("cpu profiling already in use");
    this.#isBusy = true;
    try {
      return await this.#profile(seconds > 0 ? seconds : PROFILE_SECONDS);
    } catch (error) {
      return refused(`${errorText(error)}; a process started with --allow-sys may inspect itself`);
    } finally {
      this.#isBusy = false;
    }
  }

  async #profile(seconds: number): Promise<Response> {
    const { Session } = await import("node:inspector/promises");
    const session = new Session();
    session.connect();
    try {
      await session.post("Profiler.enable");
      await session.post("Profiler.setSamplingInterval", { interval: SAMPLE_MICROSECONDS });
      await session.post("Profiler.start");
      await sleep(this.#clock, seconds * 1000, this.#signal);
      const { profile } = await session.post("Profiler.stop");
      return new Response(JSON.stringify(profile), {
        headers: {
          "content-type": "application/octet-stream",
          "content-disposition": 'attachment; filename="profile.cpuprofile"',
          "x-content-type-options": "nosniff",
          ...NO_CACHE,
        },
      });
    } finally {
      session.disconnect();
    }
  }
}
