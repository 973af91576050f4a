import { activities } from "./activity.ts";
import { type Clock, nextInLine, parseJson, TurnBudget } from "../base/mod.ts";
import { noteAnswer, noteFailure } from "./activity_notes.ts";
import { requireObject } from "./answered_object.ts";
import { MAX_FAILURE_BYTES, MAX_LIST_BYTES, MAX_OBJECT_BYTES } from "./body_limits.ts";
import { closingDeadline } from "./bounded_stream.ts";
import type { Call } from "./call.ts";
import type { RawAnswer } from "./client_options.ts";
import { ConnectionError } from "./connection_error.ts";
import { Deadline } from "./deadline.ts";
import { type RequestSender, retryAfterSeconds } from "./request_sender.ts";
import { isFailureStatus, statusErrorFrom } from "./response_status.ts";
import { StatusError } from "./status_error.ts";
import type { WireResponse } from "./transport.ts";

/**
 * How long a call may take that names no timeout, in milliseconds. kube-apiserver ends every request but watches after 60 s by
 * itself (`--request-timeout`); the rest is for connecting, or for one pause that the server asks for and the try after it.
 * Upstream's controllers have no limit of their own and wait as long as the server likes.
 */
const OVERALL_TIMEOUT_MS = 90_000;
/** Reading an answer of that many characters takes a millisecond or so. */
const LARGE_ANSWER = 64 * 1024;

/** What a {@link CallRunner} is made of. */
export interface CallRunnerOptions {
  readonly clock: Clock;
  readonly sender: RequestSender;
  /** For calls that say nothing else, in milliseconds; sent to the server too. */
  readonly timeoutMs?: number;
}

/**
 * Brings calls to their answers: within their time, successful or as an error, and noted with the work they were sent for.
 * What it promises is in the contract of `Client`.
 */
export class CallRunner {
  readonly #options: CallRunnerOptions;
  readonly #budget: TurnBudget;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
    this.#budget = new TurnBudget(options.clock);
  }

  /**
   * Waits until there is time to write an object down. Hundreds are created at once, and a large one takes milliseconds: all of
   * them together would hold the event loop for seconds.
   */
  async turn(): Promise<void> {
    while (this.#budget.spent) await this.#budget.nextTurn();
  }

  /** The answer as JSON. What it did is noted with the work that is going on. */
  object<T>(call: Call): Promise<T> {
    const activity = activities.current;
    return this.#run(call, (text) => {
      const answer = parseBody(call, text) as T;
      if (call.object) requireObject(call, call.object, answer);
      if (activity) noteAnswer(activity, call, answer);
      return answer;
    });
  }

  /** Hears only whether it was done: to parse what nobody reads takes as long as the rest of a small request. */
  done(call: Call): Promise<void> {
    const activity = activities.current;
    return this.#run(call, (text) => {
      requireSuccess(call, text);
      if (activity) noteAnswer(activity, call, { metadata: { resourceVersion: RESOURCE_VERSION.exec(text)?.[1] } });
    });
  }

  /** The answer unread. */
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
      return closingDeadline(response.stream(), deadline);
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

/** @throws {ConnectionError} If it is longer than what was asked for can be. */
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
 * @throws {StatusError} If a success says that it is none.
 * @throws {Error} If the answer is no API server's.
 */
function requireSuccess(call: Call, text: string): void {
  const mayBeStatus = text.length <= MAX_FAILURE_BYTES && text.includes('"Status"');
  if (mayBeStatus || !/^\s*(?:\{|$)/.test(text)) parseBody(call, text);
}

/** @throws {StatusError} If a success says that it is none. */
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
