import { stringify } from "@std/yaml";
import { formatTime } from "../../api/mod.ts";
import { mediaRanges } from "../../base/mod.ts";
import type { ManagerFlags } from "../manager_flags.ts";
import { jsonText, NO_CACHE, statusOf, textAnswer } from "./answers.ts";

const WARNING =
  "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees " +
  "and is for debugging purposes only.";

/** A page for people, and for programs that request its kind and version. */
export interface ZPage {
  /** The program that shows it. */
  readonly program: string;
  /** `Flagz` */
  readonly kind: string;
  readonly lines: readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Answers `/flagz` and `/statusz`: as text, unless the kind is requested as JSON or YAML in a served version.
 * Upstream: `k8s.io/apiserver/pkg/server/{flagz,statusz}`.
 */
function zPage(request: Request, { program, kind, lines, fields }: ZPage): Response {
  const page = kind.toLowerCase();
  const accept = request.headers.get("accept");
  const wanted = wantedForm(accept, kind);
  if (!wanted) return notAcceptable(request, accept ?? "");
  if (wanted.form === "text") return textAnswer(`\n${program} ${page}\n${WARNING}\n${lines.join("\n")}\n`);
  const { form, version } = wanted;
  const value = { kind, apiVersion: `config.k8s.io/${version}`, metadata: { name: program }, ...fields };
  const warning = `299 - "This version of the ${page} endpoint is deprecated. Please use a newer version."`;
  const text = form === "json" ? jsonText(request, value) : stringify(value, { sortKeys: true });
  return new Response(text, {
    headers: {
      "content-type": `application/${form};g=config.k8s.io;v=${version};as=${kind}`,
      ...NO_CACHE,
      ...version === "v1alpha1" ? { warning } : {},
    },
  });
}

type Wanted = { readonly form: "text" } | { readonly form: "json" | "yaml"; readonly version: string };

/** The served form that an Accept header prefers. */
function wantedForm(accept: string | null, kind: string): Wanted | undefined {
  for (const { type, parameters } of mediaRanges(accept || "*/*")) {
    if (["*/*", "text/*", "text/plain"].includes(type)) return { form: "text" };
    const form = STRUCTURED.get(type);
    const { as, g, v } = Object.fromEntries(parameters);
    const isServed = g === "config.k8s.io" && as === kind && (v === "v1beta1" || v === "v1alpha1");
    if (form && isServed) return { form, version: v };
  }
  return undefined;
}

const STRUCTURED: ReadonlyMap<string, "json" | "yaml"> = new Map([
  ["application/json", "json"],
  ["application/yaml", "yaml"],
]);

/** A refusal in the requested form; as indented JSON if that form is not supported, as upstream. */
function notAcceptable(request: Request, accept: string): Response {
  const status = statusOf(406, {
    reason: "NotAcceptable",
    message: "only the following media types are accepted: application/json, application/yaml, text/plain",
  });
  const form = mediaRanges(accept).map(({ type }) => STRUCTURED.get(type)).find((known) => known);
  const text = form === "yaml" ? stringify(status, { sortKeys: true }) : jsonText(request, status);
  return new Response(form ? text : JSON.stringify(status, null, 2), {
    status: 406,
    headers: { "content-type": `application/${form ?? "json"}`, ...NO_CACHE },
  });
}

/** `/flagz`: every flag with its value. */
export function flagzPage(request: Request, flags: ManagerFlags): Response {
  const entries = flags.entries();
  return zPage(request, {
    program: flags.component.name,
    kind: "Flagz",
    lines: entries.map(([name, value]) => `${name}: ${value}`),
    fields: { flags: Object.fromEntries(entries) },
  });
}

/** The process data that `/statusz` shows. Times in milliseconds. */
export interface ProcessStatus {
  readonly program: string;
  readonly startMs: number;
  readonly upMs: number;
  readonly runtime: string;
  readonly binaryVersion: string;
  readonly emulationVersion: string;
}

const PATHS = ["/configz", "/flagz", "/healthz", "/metrics"];

/** `/statusz`: what the process is, and when it started. */
export function statuszPage(request: Request, status: ProcessStatus): Response {
  const { program, startMs, upMs, runtime, binaryVersion, emulationVersion } = status;
  const upSeconds = Math.floor(upMs / 1000);
  const two = (count: number) => String(Math.floor(count)).padStart(2, "0");
  const up = `${Math.floor(upSeconds / 3600)} hr ${two(upSeconds % 3600 / 60)} min ${two(upSeconds % 60)} sec`;
  return zPage(request, {
    program,
    kind: "Statusz",
    lines: [
      "",
      `Started: ${startedText(startMs)}`,
      `Up: ${up}`,
      `Go version: ${runtime}`,
      `Binary version: ${binaryVersion}`,
      `Emulation version: ${emulationVersion}`,
      `Paths: ${PATHS.join(" ")}`,
    ],
    fields: {
      startTime: formatTime(startMs),
      uptimeSeconds: upSeconds,
      goVersion: runtime,
      binaryVersion,
      emulationVersion,
      paths: PATHS,
    },
  });
}

/** `Sat Nov 21 04:35:17 UTC 2026`, as `date` prints it. */
function startedText(startMs: number): string {
  const [weekday, day, month, year, time] = new Date(startMs).toUTCString().replace(",", "").split(" ");
  return `${weekday} ${month} ${day.replace(/^0/, " ")} ${time} UTC ${year}`;
}
