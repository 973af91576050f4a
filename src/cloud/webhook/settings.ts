import { parseDuration } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { CloudConfigError, readConfigDocument } from "../config_document.ts";
import type { CloudConfigFile } from "../factory.ts";
import type { ObjectSchema } from "../schema.ts";

/** How to reach an endpoint. */
export interface WebhookSettings {
  /** Without a trailing slash. */
  readonly url: string;
  /** PEM files; empty if there is none. */
  readonly certificateAuthorityFile: string;
  readonly clientCertificateFile: string;
  readonly clientKeyFile: string;
  /** At most one of the two is set. */
  readonly bearerTokenFile: string;
  readonly bearerTokenVariable: string;
  /** The time limit of calls that change nothing, in milliseconds. */
  readonly timeoutMs: number;
  /** The time limit of calls that may change something, in milliseconds. */
  readonly changeTimeoutMs: number;
  /** How often a call that changes nothing is retried. */
  readonly retries: number;
}

const KIND = "WebhookProviderConfiguration";
const PATH = { type: "string", minLength: 1 } as const;
const SCHEMA: ObjectSchema = {
  type: "object",
  properties: {
    url: PATH,
    certificateAuthorityFile: PATH,
    clientCertificateFile: PATH,
    clientKeyFile: PATH,
    bearerTokenFile: PATH,
    bearerTokenVariable: PATH,
    timeout: PATH,
    changeTimeout: PATH,
    retries: { type: "integer", minimum: 0, maximum: 5 },
  },
  required: ["url"],
};

type Document = Partial<Omit<WebhookSettings, "timeoutMs" | "changeTimeoutMs">> & {
  readonly url: string;
  readonly timeout?: string;
  readonly changeTimeout?: string;
};

/** Controllers do not wait longer (`timeLimitOf`). */
const LONGEST_MS = 60_000;
const LONGEST_CHANGE_MS = 900_000;

/** @throws {CloudConfigError} If the file is not a valid configuration. */
export function readWebhookSettings(file: Pick<CloudConfigFile, "path" | "text">): WebhookSettings {
  const said = (why: string, cause?: unknown) => new CloudConfigError(file.path, why, { cause });
  const {
    url,
    timeout = "60s",
    changeTimeout = "5m",
    certificateAuthorityFile = "",
    clientCertificateFile = "",
    clientKeyFile = "",
    bearerTokenFile = "",
    bearerTokenVariable = "",
    retries = 2,
  } = readConfigDocument(file, { kind: KIND, schema: SCHEMA }) as Document;
  if ((clientCertificateFile === "") !== (clientKeyFile === "")) {
    throw said("clientCertificateFile and clientKeyFile must be given both, or neither");
  }
  if (bearerTokenFile !== "" && bearerTokenVariable !== "") {
    throw said("bearerTokenFile and bearerTokenVariable must not be given both");
  }
  const within = (name: string, text: string, maxMs: number): number => {
    let ms: number;
    try {
      ms = parseDuration(text);
    } catch (cause) {
      throw said(`${name}: ${errorText(cause)}`, cause);
    }
    if (ms < 1 || ms > maxMs) throw said(`${name} must be from 1ms to ${maxMs / 1000}s, not ${text}`);
    return ms;
  };
  return {
    url: checkedUrl(url, said),
    certificateAuthorityFile,
    clientCertificateFile,
    clientKeyFile,
    bearerTokenFile,
    bearerTokenVariable,
    timeoutMs: within("timeout", timeout, LONGEST_MS),
    changeTimeoutMs: within("changeTimeout", changeTimeout, LONGEST_CHANGE_MS),
    retries,
  };
}

function checkedUrl(text: string, said: (why: string) => Error): string {
  const url = URL.parse(text);
  if (url === null) throw said("url must be a URL such as https://provider.example:8443");
  // Messages must not contain the URL until it is known to have no password.
  if (url.username !== "" || url.password !== "") {
    throw said("url must not hold a name or password: use bearerTokenFile or a client certificate");
  }
  if (url.search !== "" || url.hash !== "") throw said("url must have no query and no fragment");
  const isPlainLoopback = url.protocol === "http:" && isLoopback(url.hostname);
  if (url.protocol !== "https:" && !isPlainLoopback) {
    throw said(
      `url must begin with https:// (http:// only for a loopback address), not ${JSON.stringify(text.slice(0, 128))}`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, "");
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
