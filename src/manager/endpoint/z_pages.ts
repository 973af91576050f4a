import { stringify } from "@std/yaml";
import { formatTime } from "../../api/mod.ts";
import { jsonText, NO_CACHE, statusAnswer, textAnswer } from "./answers.ts";

const NAME = "kube-controller-manager";
const WARNING =
  "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees " +
  "and is for debugging purposes only.";

/** A page for people, and for programs that name its kind and version. */
export interface ZPage {
  /** `Flagz` */
  readonly kind: string;
  readonly lines: readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Answers for `/flagz` and `/statusz`: text, unless the kind is asked for as JSON or YAML in a version that is served.
 * Upstream: `k8s.io/apiserver/pkg/server/{flagz,statusz}`.
 */
export function zPage(request: Request, { kind, lines, fields }: ZPage): Response {
  const page = kind.toLowerCase();
  const wanted = wantedForm(request.headers.get("accept"), kind);
  if (!wanted) {
    return statusAnswer(request, 406, {
      reason: "NotAcceptable",
      message: "only the following media types are accepted: application/json, application/yaml, text/plain",
    });
  }
  if (wanted.form === "text") return textAnswer(`\n${NAME} ${page}\n${WARNING}\n${lines.join("\n")}\n`);
  const { form, version } = wanted;
  const value = { kind, apiVersion: `config.k8s.io/${version}`, metadata: { name: NAME }, ...fields };
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

/** The first form of an Accept header that is served. */
function wantedForm(accept: string | null, kind: string): Wanted | undefined {
  for (const part of (accept ?? "*/*").split(",")) {
    const [type, ...parameters] = part.split(";").map((text) => text.trim());
    if (["*/*", "text/*", "text/plain", ""].includes(type.toLowerCase())) return { form: "text" };
    const [, form] = /^application\/(json|yaml)$/.exec(type.toLowerCase()) ?? [];
    const { v, g, as } = Object.fromEntries(parameters.map((text) => text.split("=", 2)));
    const isServed = g === "config.k8s.io" && as === kind && (v === "v1beta1" || v === "v1alpha1");
    if ((form === "json" || form === "yaml") && isServed) return { form, version: v };
  }
  return undefined;
}

/** `/flagz`: every flag with its value. */
export function flagzPage(request: Request, entries: readonly (readonly [name: string, value: string])[]): Response {
  return zPage(request, {
    kind: "Flagz",
    lines: entries.map(([name, value]) => `${name}: ${value}`),
    fields: { flags: Object.fromEntries(entries) },
  });
}

/** What `/statusz` says of a process. Times in milliseconds. */
export interface ProcessStatus {
  readonly startMs: number;
  readonly upMs: number;
  readonly runtime: string;
  readonly binaryVersion: string;
  readonly emulationVersion: string;
}

const PATHS = ["/configz", "/flagz", "/healthz", "/metrics"];

/** `/statusz`: since when the process runs, and what it is. */
export function statuszPage(request: Request, status: ProcessStatus): Response {
  const { startMs, upMs, runtime, binaryVersion, emulationVersion } = status;
  const upSeconds = Math.floor(upMs / 1000);
  const two = (count: number) => String(Math.floor(count)).padStart(2, "0");
  const up = `${Math.floor(upSeconds / 3600)} hr ${two(upSeconds % 3600 / 60)} min ${two(upSeconds % 60)} sec`;
  return zPage(request, {
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
