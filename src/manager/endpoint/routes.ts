import type { Ask } from "../questions.ts";
import { jsonAnswer, NO_CACHE, notFound, refusal, textAnswer } from "./answers.ts";
import { PLATFORM } from "./process_metrics.ts";

/** What is answered at one path. */
export interface Route {
  /** Exactly this path; or, where it ends with `/*`, everything below. */
  readonly path: string;
  /** Other methods are refused with 405; all if absent, as upstream has it for most. */
  readonly methods?: readonly string[];
  answer(request: Request, url: URL): Response | Promise<Response>;
}

/** Finds the route for a path and has it answer. */
export function dispatch(routes: readonly Route[], request: Request, url: URL): Response | Promise<Response> {
  const route = routes.find(({ path }) =>
    path.endsWith("/*") ? url.pathname.startsWith(path.slice(0, -1)) : path === url.pathname
  );
  if (!route) return notFound();
  if (route.methods && !route.methods.includes(request.method)) {
    return textAnswer("405 method not allowed\n", { status: 405, headers: { allow: route.methods.join(", ") } });
  }
  return route.answer(request, url);
}

/** `/version`: what kubectl calls the server version. */
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

/** Nobody needs more to set a verbosity. */
const MAX_BODY_BYTES = 1024;
const PLAIN = { "content-type": "text/plain", "x-content-type-options": "nosniff" };

/** `/debug/flags/v`: PUT sets how much is logged. Upstream: `k8s.io/apiserver/pkg/server/routes/flags.go`. */
export async function verbosityPage(request: Request, set: (verbosity: number) => void): Promise<Response> {
  if (request.method !== "PUT") return textAnswer("unsupported http method\n", { status: 406, headers: PLAIN });
  const text = await boundedText(request);
  if (text === undefined) return refusal(413, "request body is too large");
  if (!/^\d+$/.test(text) || Number(text) >= 2 ** 31) {
    const why = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
    return textAnswer(`${why}\n`, { status: 400, headers: PLAIN });
  }
  set(Number(text));
  return textAnswer(`successfully set klog.logging.verbosity to ${text}\n`, { headers: PLAIN });
}

/** The body, or `undefined` if it is larger than any that is meant. */
async function boundedText(request: Request): Promise<string | undefined> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of request.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BODY_BYTES) return undefined;
  }
  return text;
}

/** `/debug/flags`: what can be set. */
export function flagsIndexPage(): Response {
  const lines = ["<html>", "<head>", "<title>/debug/flags/</title>", "</head>", "<body>", "/debug/flags/<br>", "<br>"];
  const rest = ["flags:<br>", "<table>", "<tr>v<br>", "</table>", "<br>", "full flags configurable<br>", "</body>"];
  return new Response([...lines, ...rest, "</html>", ""].join("\n"), {
    headers: { "content-type": "text/html; charset=utf-8", ...NO_CACHE },
  });
}

/** `/debug/controllers/NAME/...`: what a controller shows of itself. */
export async function controllerPage(url: URL, ask: Ask): Promise<Response> {
  const [, controller, path] = /^\/debug\/controllers\/([^/]+)\/(.*)$/.exec(url.pathname) ?? [];
  if (controller === undefined) return notFound();
  const answers = await ask({ about: "debug", controller, path, query: url.search });
  const shown = answers.find((answer) => answer !== undefined);
  if (!shown) return notFound();
  return new Response(shown.text, { headers: { "content-type": shown.contentType, ...NO_CACHE } });
}
