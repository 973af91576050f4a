import type { LogFields, LogLine } from "../base/mod.ts";

/** A line to print, with its time and logger. */
export interface KlogLine extends LogLine {
  readonly wallMs: number;
  readonly pid: number;
  /** Whether the message is the whole line, printed unchanged. */
  readonly isPlain?: boolean;
}

/**
 * Printed in place of klog's `file.go:line` for a logger without a name, because finding the caller's position is
 * expensive.
 */
export const NAMELESS = "kubeloop";

/** A value that names an object. */
export interface LoggedRef {
  readonly namespace?: string;
  readonly name: string;
}

/**
 * The object that `value` names: `{ namespace, name }`, or a whole Kubernetes object; the log shows only those two.
 * `undefined` for anything else.
 */
export function loggedRef(value: object): LoggedRef | undefined {
  const { name, namespace, metadata } = value as Readonly<Record<string, unknown>>;
  if (typeof metadata === "object" && metadata !== null && "name" in metadata) return asRef(metadata);
  if (typeof name !== "string") return undefined;
  const isOnlyRef = Object.keys(value).length === (namespace === undefined && !("namespace" in value) ? 1 : 2);
  return isOnlyRef ? asRef(value) : undefined;
}

function asRef({ name, namespace }: { readonly name?: unknown; readonly namespace?: unknown }): LoggedRef | undefined {
  if (typeof name !== "string") return undefined;
  if (namespace === undefined || namespace === "") return { name };
  return typeof namespace === "string" ? { namespace, name } : undefined;
}

/** JSON of any value; what JSON cannot express becomes text. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, plain) ?? JSON.stringify(String(value));
  } catch (error) { // a cycle
    return JSON.stringify(`<cannot be shown: ${error instanceof Error ? error.message.split("\n")[0] : error}>`);
  }
}

function plain(_key: string, value: unknown): unknown {
  if (value instanceof Error) return value.message;
  return typeof value === "bigint" ? value.toString() : value;
}

/** The fields in klog's order: an error's `err` first, without absent values. */
export function orderedFields({ severity, fields }: { severity: LogLine["severity"]; fields: LogFields }): {
  readonly err: unknown;
  readonly others: [key: string, value: unknown][];
} {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (severity !== "error" || fields.err === undefined) return { err: undefined, others: entries };
  return { err: fields.err, others: entries.filter(([key]) => key !== "err") };
}
