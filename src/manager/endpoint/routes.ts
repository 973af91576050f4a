import { boundedText, TooLongError } from "../../base/mod.ts";
import type { Peer } from "../../https/mod.ts";
import { levelObjection } from "../flag_numbers.ts";
import type { Ask } from "../questions.ts";
import { jsonAnswer, NO_CACHE, notFound, refusal, textAnswer } from "./answers.ts";
import { PLATFORM } from "./process_metrics.ts";

/** The handler of one path. */
export interface Route {
  /** Exactly this path or, if it ends with `/*`, everything below it. */
  readonly path: string;
  /** Other methods are refused with 405. If absent, all are allowed, as for most of upstream's. */
  readonly methods?: readonly string[];
  answer(request: Request, peer: Peer): Response | Promise<Response>;
}

/**
 * Dispatches a request to the route for its exact path: `//healthz` is not `/healthz`.
 *
 * Upstream: `k8s.io/apiserver/pkg/server/mux`, which, unlike Go's own mux, neither cleans paths nor redirects.
 */
export function dispatch(routes: readonly Route[], request: Request, peer: Peer): Response | Promise<Response> {
  const { asked } = peer;
  const route = routes.find(({ path }) =>
    path.endsWith("/*") ? asked.path.startsWith(path.slice(0, -1)) : path === asked.path
  );
  if (!route) return notFound();
  if (route.methods && !route.methods.includes(asked.method)) {
    return textAnswer("405 method not allowed\n", { status: 405, headers: { allow: route.methods.join(", ") } });
  }
  return route.answer(request, peer);
}

/** `/version`: the version that kubectl shows as the server's. */
export function versionPage(version: string, emulatedVersion: string): Response {
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version)!;
  const [emulationMajor, emulationMinor] = emulatedVersion.split(".");
  return jsonAnswer({
    major,
    minor,
    emulationMajor,
    emulationMinor,
    gitVersion: version,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "",
    compiler: "v8",
    platform: PLATFORM,
  });
}

/** More than enough for a verbosity. */
const MAX_BODY_BYTES = 1024;
const PLAIN = { "content-type": "text/plain", "x-content-type-options": "nosniff" };

/** `/debug/flags/v`: PUT sets the log verbosity. Upstream: `k8s.io/apiserver/pkg/server/routes/flags.go`. */
export async function verbosityPage(request: Request, set: (verbosity: number) => void): Promise<Response> {
  if (request.method !== "PUT") return textAnswer("unsupported http method\n", { status: 406, headers: PLAIN });
  let text: string;
  try {
    text = await boundedText(request.body, { maxBytes: MAX_BODY_BYTES });
  } catch (error) {
    if (error instanceof TooLongError) return refusal(413, "request body is too large");
    throw error;
  }
  const why = levelObjection(text);
  if (why !== undefined) return textAnswer(`${why}\n`, { status: 400, headers: PLAIN });
  set(Number(text));
  return textAnswer(`successfully set klog.logging.verbosity to ${text}\n`, { headers: PLAIN });
}

/** `/debug/flags`: lists the flags that can be set. */
export function flagsIndexPage(): Response {
  const lines = ["<html>", "<head>", "<title>/debug/flags/</title>", "</head>", "<body>", "/debug/flags/<br>", "<br>"];
  const rest = ["flags:<br>", "<table>", "<tr>v<br>", "</table>", "<br>", "full flags configurable<br>", "</body>"];
  return new Response([...lines, ...rest, "</html>", ""].join("\n"), {
    headers: { "content-type": "text/html; charset=utf-8", ...NO_CACHE },
  });
}

/** `/debug/controllers/NAME/...`: a controller's debug pages. */
export async function controllerPage(
  { url }: Request,
  { path, ask }: { readonly path: string; readonly ask: Ask },
): Promise<Response> {
  const [, controller, page] = /^\/debug\/controllers\/([^/]+)\/(.*)$/s.exec(path) ?? [];
  if (controller === undefined) return notFound();
  const answers = await ask({ about: "debug", controller, path: page, query: new URL(url).search });
  const shown = answers.find((answer) => answer !== undefined);
  if (!shown) return notFound();
  return new Response(shown.text, { headers: { "content-type": shown.contentType, ...NO_CACHE } });
}
