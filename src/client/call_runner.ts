import { activities } from "./activity.ts";
import { type Clock, nextInLine, parseJson, TurnBudget } from "../base/mod.ts";
import { noteAnswer, noteFailure } from "./activity_notes.ts";
import { requireObject } from "./answered_object.ts";
import { MAX_FAILURE_BYTES, MAX_LIST_BYTES, MAX_OBJECT_BYTES } from "./body_limits.ts";
import type { Call } from "./call.ts";
import type { RawAnswer } from "./client_options.ts";
import { ConnectionError } from "./connection_error.ts";
import { Deadline } from "./deadline.ts";
import { type RequestSender, retryAfterSeconds } from "./request_sender.ts";
import { isFailureStatus, statusErrorFrom } from "./response_status.ts";
import { StatusError } from "./status_error.ts";
import type { WireResponse } from "./transport.ts";

/**
 * The time limit for calls without a timeout, in milliseconds. kube-apiserver itself ends every request except watches
 * after 60 s (`--request-timeout`); the rest allows for connecting, or for one pause that the server asks for and the
 * retry after it. Upstream's controllers have no limit and wait as long as the server keeps them waiting.
 */
const OVERALL_TIMEOUT_MS = 90_000;
/** Parsing an answer of this many characters takes about a millisecond. */
const LARGE_ANSWER = 64 * 1024;

/** Options of {@link CallRunner}. */
export interface CallRunnerOptions {
  readonly clock: Clock;
  readonly sender: RequestSender;
  /** Default for all calls, in milliseconds; also sent to the server. */
  readonly timeoutMs?: number;
}

/**
 * Runs calls: enforces their time limit, turns failures into errors, and records them for the current piece of work.
 * See the contract of `Client`.
 */
export class CallRunner {
  readonly #options: CallRunnerOptions;
  /**
   * For serialising objects: hundreds may be created at once and a large one takes milliseconds, so together they would
   * block the event loop for seconds. Whoever waits for a turn looks again when it comes, right before serialising.
   */
  readonly serialising: TurnBudget;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
    this.serialising = new TurnBudget(options.clock);
  }

  /** The answer as JSON. Recorded for the current piece of work. */
  object<T>(call: Call): Promise<T> {
    const activity = activities.current;
    return this.#run(call, (text) => {
      const answer = parseBody(call, text) as T;
      if (call.object) requireObject(call, call.object, answer);
      if (activity) noteAnswer(activity, call, answer);
      return answer;
    });
  }

  /**
   * Learns only whether the call succeeded: parsing an answer that nobody reads takes as long as the rest of a small
   * request.
   */
  done(call: Call): Promise<void> {
    const activity = activities.current;
    return this.#run(call, (text) => {
      requireSuccess(call, text);
      if (activity) noteAnswer(activity, call, { metadata: { resourceVersion: RESOURCE_VERSION.exec(text)?.[1] } });
    });
  }

  /** The answer, not parsed. */
  text(call: Call): Promise<RawAnswer> {
    return this.#run(call, (text, response) => ({ text, contentType: response.header("content-type") ?? "" }));
  }

  /** The answer as a stream. It must begin in time, and end in time too if the call names a timeout. */
  async open(given: Call): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const { sender } = this.#options;
    const call = this.#timed(given);
    await sender.admit(call);
    const deadline = this.#deadline(call);
    try {
      const response = await sender.send(call, deadline);
      if (!isSuccess(response)) throw await failureOf(call, response);
      if (!call.timeoutMs) deadline.lift();
      return response.stream(() => deadline[Symbol.dispose]());
    } catch (error) {
      deadline[Symbol.dispose]();
      throw error;
    }
  }

  async #run<R>(given: Call, read: (text: string, response: WireResponse) => R): Promise<R> {
    const { sender } = this.#options;
    const activity = activities.current;
    const call = this.#timed(given);
    try {
      await sender.admit(call);
      using deadline = this.#deadline(call);
      const response = await sender.send(call, deadline);
      if (!isSuccess(response)) throw await failureOf(call, response);
      const text = await wholeText(call, response);
      sender.observeBody(call, response);
      if (text.length >= LARGE_ANSWER) await nextInLine(this.#options.clock);
      return read(text, response);
    } catch (error) {
      if (activity) noteFailure(activity, call, error);
      throw error;
    }
  }

  #timed(call: Call): Call {
    const { timeoutMs } = this.#options;
    return call.timeoutMs || call.isWatch || !timeoutMs ? call : { ...call, timeoutMs };
  }

  #deadline({ timeoutMs = OVERALL_TIMEOUT_MS, signal, method, path }: Call): Deadline {
    const reason = () => new ConnectionError("timeout", `${method} ${path}: no complete answer within ${timeoutMs} ms`);
    return new Deadline(this.#options.clock, { signal, timeoutMs, reason });
  }
}

function isSuccess({ status }: WireResponse): boolean {
  return status >= 200 && status <= 206;
}

/** @throws {ConnectionError} If it is longer than any valid answer. */
async function wholeText({ method, path, isList }: Call, response: WireResponse): Promise<string> {
  const maxBytes = isList ? MAX_LIST_BYTES : MAX_OBJECT_BYTES;
  const text = await response.text(maxBytes);
  if (!response.isCut) return text;
  throw new ConnectionError("protocol", `${method} ${path}: the answer exceeds ${maxBytes} bytes`);
}

async function failureOf(call: Call, response: WireResponse): Promise<StatusError> {
  const text = await response.text(MAX_FAILURE_BYTES);
  const contentType = response.header("content-type");
  const failed = { code: response.status, text, contentType, retryAfterSeconds: retryAfterSeconds(response) };
  return statusErrorFrom(failed, call);
}

/** The first one is the object's own: kube-apiserver writes it before anything that a client has put in. */
const RESOURCE_VERSION = /"resourceVersion": ?"([^"\\]{1,64})"/;

/**
 * @throws {StatusError} If a success holds a failure Status.
 * @throws {Error} If the answer is not an API server's.
 */
function requireSuccess(call: Call, text: string): void {
  const mayBeStatus = text.length <= MAX_FAILURE_BYTES && text.includes('"Status"');
  if (mayBeStatus || !/^\s*(?:\{|$)/.test(text)) parseBody(call, text);
}

/** @throws {StatusError} If a success holds a failure Status. */
function parseBody(call: Call, text: string): unknown {
  if (text === "") return undefined;
  let body: unknown;
  try {
    body = parseJson(text);
  } catch (cause) {
    const why = cause instanceof RangeError ? cause.message : "it is not JSON";
    throw new Error(`Cannot read the answer to ${call.method} ${call.path}: ${why}`, { cause });
  }
  if (isFailureStatus(body)) throw new StatusError(body);
  return body;
}
