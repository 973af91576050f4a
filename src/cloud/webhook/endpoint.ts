import {
  boundedText,
  errorText,
  parseJson,
  sleep,
  stringifyJson,
  TooLongError,
  unlessAborted,
  type World,
} from "../../base/mod.ts";
import { Deadline, WriteRefusedError } from "../../client/mod.ts";
import { type CloudCall, type CloudDescription, timeLimitOf } from "../calls.ts";
import { CloudError, type CloudFailure, errorOf } from "../errors.ts";
import { readBySchema, SchemaError } from "../schema.ts";
import type { WebhookConnections } from "./connection.ts";
import { DESCRIBE, FAILURE, type WebhookMethod, webhookMethod } from "./methods.ts";
import type { WebhookSettings } from "./settings.ts";

/**
 * A route takes a few hundred bytes, and there is one for each node and family. Parsing more would block the thread too
 * long.
 */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** The endpoint's messages end up in events. */
const MAX_MESSAGE = 1024;
const MIN_RETRY_AFTER_MS = 100;
/** The first pause between tries; doubled each time, plus up to the same again at random. */
const FIRST_DELAY_MS = 200;
/** Answers of proxies whose backend is unavailable. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** The endpoint gave no valid answer. */
class WebhookError extends CloudError {
  override readonly name = "WebhookError";
}

/** Nobody answered, so a retry may help. */
class EndpointAwayError extends WebhookError {}

/**
 * Calls the user's endpoint.
 *
 * Contract:
 * 1. Only a well-formed answer of status 200 counts; all else is a {@link WebhookError} that says what was wrong.
 * 2. An answer is read up to 4 MiB and until the call's time is up. Redirections are not followed.
 * 3. Calls that change nothing are made again, a few times, if nobody answered. Calls that may change something are
 *    made once: the controller asks again, after a delay that grows.
 */
export class WebhookEndpoint {
  readonly #world: World;
  readonly #settings: WebhookSettings;
  readonly #connections: WebhookConnections;

  constructor(world: World, settings: WebhookSettings, connections: WebhookConnections) {
    this.#world = world;
    this.#settings = settings;
    this.#connections = connections;
  }

  /**
   * Asks the endpoint for its description.
   * @throws {CloudError} If there is no valid answer.
   */
  async describe(): Promise<CloudDescription> {
    const { timeoutMs } = this.#settings;
    const answer = await this.#ask("describe", {}, { row: DESCRIBE, timeoutMs });
    return answer as CloudDescription;
  }

  /** @throws {CloudError} The error that the endpoint reports, or that there was no valid answer. */
  async call(call: CloudCall, signal: AbortSignal): Promise<unknown> {
    const row = webhookMethod(call.capability, call.method);
    if (!row) throw new TypeError(`Cannot call ${call.method} of ${call.capability}: there is no such method`);
    const ownMs = row.isReading ? this.#settings.timeoutMs : this.#settings.changeTimeoutMs;
    const timeoutMs = Math.min(ownMs, timeLimitOf(call) ?? ownMs);
    return await this.#ask(`${call.capability}/${call.method}`, { args: call.args }, { row, timeoutMs, signal });
  }

  async #ask(path: string, body: unknown, { row, timeoutMs, signal }: Asking): Promise<unknown> {
    const { clock, random } = this.#world;
    using deadline = new Deadline(clock, {
      signal,
      timeoutMs,
      reason: () => new WebhookError(`The webhook did not answer ${path} within ${timeoutMs / 1000} s`),
    });
    const text = stringifyJson(body);
    for (let left = row.isReading ? this.#settings.retries : 0, delayMs = FIRST_DELAY_MS;; left--, delayMs *= 2) {
      try {
        return await this.#exchange(path, text, { row, signal: deadline.signal });
      } catch (error) {
        if (!(error instanceof EndpointAwayError) || left <= 0) throw error;
      }
      await sleep(clock, delayMs * (1 + random.float()), deadline.signal);
      deadline.signal.throwIfAborted();
    }
  }

  async #exchange(path: string, body: string, { row, signal }: Exchange): Promise<unknown> {
    const { send, token } = await unlessAborted(this.#connections.current(), signal);
    const headers = new Headers({ "content-type": "application/json", accept: "application/json" });
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    const request = new Request(`${this.#settings.url}/v1/${path}`, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal,
    });
    const nonsense = (why: string) => new WebhookError(`The webhook answered ${path} with nonsense: ${why}`);
    const answer = await received(send(request), { path, signal });
    if (answer.status !== 200) {
      discard(answer);
      const Kind = AWAY.has(answer.status) ? EndpointAwayError : WebhookError;
      throw new Kind(`The webhook answered ${path} with status ${answer.status}, which must be 200`);
    }
    const text = await textOf(answer, { path, signal, nonsense });
    // The objection to an answer may quote it.
    const isTelling = token !== undefined && text.includes(token);
    const said = (why: string) => nonsense(isTelling ? "it repeats the token, where that does not belong" : why);
    return outcome(parsedJson(text, nonsense), row, { nonsense: said, token });
  }
}

interface Asking {
  readonly row: WebhookMethod;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

interface Exchange {
  readonly row: WebhookMethod;
  readonly signal: AbortSignal;
}

async function received(
  sending: Promise<Response>,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<Response> {
  try {
    return await unlessAborted(sending, signal);
  } catch (cause) {
    if (signal.aborted) {
      // No caller is left for an answer that comes after all.
      sending.then(discard).catch(() => {});
      throw signal.reason;
    }
    if (cause instanceof WriteRefusedError) throw cause;
    throw new EndpointAwayError(`The webhook cannot be asked to ${path}: ${why(cause)}`, { cause });
  }
}

/** The text of a body, which may be arbitrarily long and slow. */
async function textOf(
  { body }: Response,
  { path, signal, nonsense }: {
    readonly path: string;
    readonly signal: AbortSignal;
    readonly nonsense: (why: string) => Error;
  },
): Promise<string> {
  try {
    return await boundedText(body, { maxBytes: MAX_ANSWER_BYTES, signal });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof TooLongError) throw nonsense(error.message);
    throw new EndpointAwayError(`The webhook's answer to ${path} ended early: ${why(error)}`, { cause: error });
  }
}

function parsedJson(text: string, nonsense: (why: string) => Error): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    // The parser's own message would quote the text.
    throw nonsense(error instanceof RangeError ? "it is nested too deeply" : "it is not JSON");
  }
}

function outcome(
  answer: unknown,
  row: WebhookMethod,
  { nonsense, token }: { readonly nonsense: (why: string) => Error; readonly token?: string },
): unknown {
  const isObject = typeof answer === "object" && answer !== null && !Array.isArray(answer);
  const { result, error } = isObject ? answer as Record<string, unknown> : {};
  if ((result === undefined) === (error === undefined)) throw nonsense('it must be an object with "result" or "error"');
  let failure: CloudFailure;
  try {
    if (error === undefined) return readBySchema(row.result, result, { at: "result" });
    failure = readBySchema(FAILURE, error, { at: "error" }) as CloudFailure;
  } catch (cause) {
    if (cause instanceof SchemaError) throw nonsense(cause.message);
    throw cause;
  }
  if (failure.kind === "retry" && failure.afterMs === undefined) throw nonsense("error.afterMs is missing");
  throw errorOf({
    kind: failure.kind,
    message: oneLine(redacted(failure.message, token)) || "the webhook gave no reason",
    afterMs: Math.max(failure.afterMs ?? 0, MIN_RETRY_AFTER_MS),
  });
}

/** The part of the endpoint's message that users see. */
function oneLine(text: string): string {
  const cut = text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}...` : text;
  // deno-lint-ignore no-control-regex
  return cut.replace(/[\x00-\x1f\x7f]+/g, " ").trim();
}

/** An endpoint knows the token, and its message may contain it. */
function redacted(text: string, token: string | undefined): string {
  return token === undefined ? text : text.replaceAll(token, "[token]");
}

function discard(answer: Response): void {
  answer.body?.cancel().catch(() => {});
}

/** Why a connection failed, including causes: the platform's own message is often empty of detail. */
function why(error: unknown): string {
  const texts: string[] = [];
  for (let e = error, depth = 0; e !== undefined && depth < 4; e = e instanceof Error ? e.cause : undefined, depth++) {
    const text = errorText(e);
    if (!texts.some((earlier) => earlier.includes(text))) texts.push(text);
  }
  return oneLine(texts.join(": "));
}
