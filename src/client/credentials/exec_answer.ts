import { parseTime } from "../../api/mod.ts";

/** An exec plugin's answer. */
export interface ExecAnswer {
  readonly token?: string;
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** By the wall clock; if absent, it never expires. */
  readonly expiresMs?: number;
}

/**
 * Parses an exec plugin's output.
 *
 * @throws {Error} If it is not an ExecCredential of the requested API version, or contains no credentials.
 */
export function readExecAnswer(stdout: string, apiVersion: string): ExecAnswer {
  let parsed: unknown;
  try {
    parsed = JSON.parse(stdout);
  } catch (cause) {
    throw new Error("decoding stdout: it is not JSON", { cause });
  }
  const answer = asRecord(parsed);
  if (answer.kind !== "ExecCredential") {
    throw new Error(`decoding stdout: kind is "${answer.kind}", not ExecCredential`);
  }
  if (answer.apiVersion !== apiVersion) {
    throw new Error(
      `exec plugin is configured to use API version ${apiVersion}, plugin returned version ${answer.apiVersion}`,
    );
  }
  if (typeof answer.status !== "object" || answer.status === null) {
    throw new Error("exec plugin didn't return a status field");
  }
  const status = asRecord(answer.status);
  const [token, cert, key] = ["token", "clientCertificateData", "clientKeyData"].map((name) => textOf(status, name));
  if (!token && !cert && !key) throw new Error("exec plugin didn't return a token or cert/key pair");
  if ((cert === "") !== (key === "")) throw new Error("exec plugin returned only certificate or key, not both");
  const expiration = textOf(status, "expirationTimestamp");
  return {
    token: token || undefined,
    certificate: cert ? { cert, key } : undefined,
    expiresMs: expiration ? parseTime(expiration) : undefined,
  };
}

function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw new Error("decoding stdout: it is not an object");
  return value as Record<string, unknown>;
}

function textOf(status: Record<string, unknown>, name: string): string {
  const value = status[name] ?? "";
  if (typeof value !== "string") throw new Error(`decoding stdout: status.${name} is not a string`);
  return value;
}
