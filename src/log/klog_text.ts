import { type KlogLine, loggedRef, NAMELESS, orderedFields, toJson } from "./klog_line.ts";
import { goQuote } from "../base/mod.ts";

const LETTER = { info: "I", warning: "W", error: "E" } as const;

/**
 * Formats a line like klog: `I0102 15:04:05.123456 12345 deployment-controller] "Synced" logger="deployment-controller"
 * deployment="default/web"`. Upstream: `k8s.io/klog/v2` (formatHeader), `internal/serialize` (KVFormat).
 */
export function formatText(line: KlogLine): string {
  const { err, others } = orderedFields(line);
  let text = `${LETTER[line.severity]}${timestamp(line.wallMs)} ${String(line.pid).padStart(7)} `;
  text += `${line.logger || NAMELESS}] ${line.isPlain ? line.message : goQuote(line.message)}`;
  if (err !== undefined) text += field("err", err);
  if (line.logger) text += field("logger", line.logger);
  for (const [key, value] of others) text += field(key, value);
  return `${text}\n`;
}

let second = NaN;
let secondText = "";

/** `mmdd hh:mm:ss.uuuuuu` in local time. The part before the dot is cached for a second. */
function timestamp(wallMs: number): string {
  const micros = Math.round(wallMs * 1000);
  const seconds = Math.floor(micros / 1e6);
  if (seconds !== second) {
    const date = new Date(seconds * 1000);
    const two = (n: number) => String(n).padStart(2, "0");
    second = seconds;
    secondText = `${two(date.getMonth() + 1)}${two(date.getDate())} ` +
      `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  }
  return `${secondText}.${String(micros - seconds * 1e6).padStart(6, "0")}`;
}

function field(key: string, value: unknown): string {
  switch (typeof value) {
    case "string":
      return ` ${key}=${stringValue(value)}`;
    case "number":
    case "boolean":
    case "bigint":
      return ` ${key}=${value}`;
    case "object":
      return ` ${key}=${value === null ? "null" : objectValue(value)}`;
    default:
      return ` ${key}=${stringValue(String(value))}`;
  }
}

function objectValue(value: object): string {
  if (value instanceof Error) return stringValue(value.message || value.name);
  const ref = loggedRef(value);
  if (ref) return goQuote(ref.namespace ? `${ref.namespace}/${ref.name}` : ref.name);
  return toJson(value);
}

/** Quotes a value; a multi-line one is printed unchanged with each line indented by a tab. */
function stringValue(value: string): string {
  if (!value.includes("\n")) return goQuote(value);
  const lines = value.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return `<\n${lines.map((line) => `\t${line}\n`).join("")} >`;
}
