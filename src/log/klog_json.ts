import { type KlogLine, loggedRef, NAMELESS, orderedFields, toJson } from "./klog_line.ts";

/**
 * A line of JSON as `--logging-format=json` prints it: `ts` in milliseconds, `caller`, `msg`, the verbosity `v` unless
 * it is an error, then the fields. Upstream: `k8s.io/component-base/logs/json`.
 */
export function formatJson(line: KlogLine): string {
  const { err, others } = orderedFields(line);
  const members = [`"ts":${Math.round(line.wallMs * 1000) / 1000}`];
  if (line.logger) members.push(member("logger", line.logger));
  members.push(member("caller", line.logger || NAMELESS), member("msg", line.message));
  if (line.severity !== "error") members.push(`"v":${line.verbosity}`);
  for (const [key, value] of others) members.push(member(key, value));
  if (err !== undefined) members.push(member("err", err));
  return `{${members.join(",")}}\n`;
}

function member(key: string, value: unknown): string {
  const shown = typeof value === "object" && value !== null && !(value instanceof Error) && loggedRef(value) || value;
  return `${JSON.stringify(key)}:${toJson(shown)}`;
}
