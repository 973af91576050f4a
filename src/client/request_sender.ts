import { type MetricsRegistry, sleep, toError, type World } from "../base/mod.ts";
import { MAX_FAILURE_BYTES } from "./body_limits.ts";
import { type Call, encodeQuery } from "./call.ts";
import { ConnectionError, connectionFailureOf, isConnectionLost, isConnectionTimeout } from "./connection_error.ts";
import type { Deadline } from "./deadline.ts";
import type { RequestLimiter } from "./rate_limiter.ts";
import { RequestMetrics } from "./request_metrics.ts";
import type { ServerOutages } from "./server_outages.ts";
import { ThrottleLog } from "./throttle_log.ts";
import type { Exchange, WireRequest, WireResponse } from "./transport.ts";
import { warningTexts } from "./warning_texts.ts";

/** Retries of one call after its first attempt. Upstream: `client-go/rest/request.go` (maxRetries). */
const MAX_RETRIES = 10;

/**
 * The longest pause that a server may request. kube-apiserver itself requests at most 32 s (`maxRetryAfter` in
 * `k8s.io/apiserver/pkg/util/flowcontrol/dropped_requests_tracker.go`).
 */
const MAX_PAUSE_MS = 32_000;

/** Options of {@link RequestSender}. */
export interface RequestSenderOptions {
  readonly world: World;
  readonly exchange: Exchange;
  /** Scheme, host and port, without a slash at the end. */
  readonly server: string;
  readonly userAgent: string;
  readonly limiter?: RequestLimiter;
  readonly metrics: MetricsRegistry;
  readonly outages: ServerOutages;
  readonly onWarning?: (text: string) => void;
}

/**
 * Sends the calls of one client: limiter, attempts and metrics.
 *
 * Contract:
 * 1. Every attempt takes a token of the limiter, except those of a watch.
 * 2. After an answer of 429 or at least 500 with whole seconds in Retry-After the request is sent again, whatever the
 *    verb, when so many seconds have passed, at most 32.
 * 3. A GET whose connection was lost is sent again after a second; so is a watch that could not be opened in time.
 * 4. After ten retries, or when the next pause would outlast the deadline, the last answer is returned, or the last
 *    error thrown with the one before it in its message.
 * 5. Everything else is the caller's business: no other answer or error is retried.
 * 6. The warnings of each answer go to `onWarning`.
 *
 * Upstream: `k8s.io/client-go/rest/with_retry.go`, which pauses as long as the server says, be it years.
 */
export class RequestSender {
  readonly #options: RequestSenderOptions;
  readonly #metrics: RequestMetrics;
  readonly #throttleLog: ThrottleLog;
  readonly #host: string;

  constructor(options: RequestSenderOptions) {
    this.#options = options;
    this.#metrics = new RequestMetrics(options.metrics);
    this.#throttleLog = new ThrottleLog(options.world);
    this.#host = options.server.slice(options.server.indexOf("://") + 3).split("/")[0];
  }

  /**
   * Waits for the first attempt's token. Separate from `send`, because the deadline does not cover waits for our own
   * limiter.
   */
  admit(call: Call): Promise<void> {
    return this.#throttle(call, call.signal);
  }

  /** Resolves with the last attempt's response, whatever its status. The call must have been admitted. */
  async send(call: Call, deadline: Deadline): Promise<WireResponse> {
    const { signal } = deadline;
    const request = this.#wireRequest(call, signal);
    let previous: Error | undefined;
    for (let retries = 0;; retries++) {
      signal.throwIfAborted();
      const outcome = await this.#attempt(call, request);
      const pauseMs = retryPauseMs(call, outcome);
      const isLast = pauseMs === undefined || retries === MAX_RETRIES || pauseMs >= deadline.leftMs;
      if (outcome instanceof Error) {
        if (isLast || signal.aborted) throw joined(outcome, previous);
        previous = outcome;
      } else {
        if (isLast) return outcome;
        // Read to its end so that the connection can be reused; a failure does not matter.
        await outcome.text(MAX_FAILURE_BYTES).catch(() => {});
      }
      this.#countRetry(call, outcome);
      if (!await sleep(this.#options.world.clock, pauseMs, signal)) throw signal.reason;
      await this.#throttle(call, signal);
    }
  }

  /** Records the size of a body that was read to its end. */
  observeBody(call: Call, response: WireResponse): void {
    if (!call.isWatch) this.#metrics.responseBytes.observe(response.bodyBytes, [call.method, this.#host]);
  }

  #wireRequest(call: Call, signal: AbortSignal): WireRequest {
    const { server, userAgent } = this.#options;
    const headers: Record<string, string> = { accept: call.accept, "user-agent": userAgent };
    if (call.contentType) headers["content-type"] = call.contentType;
    const url = server + call.path + encodeQuery(call.query, call.timeoutMs);
    const { method, body, isWatch, isLong } = call;
    return { method, url, headers, body, isWatch, isLong, signal };
  }

  async #throttle(call: Call, signal?: AbortSignal): Promise<void> {
    const { limiter, world } = this.#options;
    if (call.isWatch) return;
    const delayMs = limiter?.reserveMs() ?? 0;
    this.#metrics.limiterSeconds.observe(delayMs / 1000, [call.method, this.#host]);
    if (delayMs === 0) return;
    if (!await sleep(world.clock, delayMs, signal)) {
      limiter?.release();
      throw signal?.reason;
    }
    this.#throttleLog.waited(delayMs, call.method, this.#options.server + call.path);
  }

  async #attempt(call: Call, request: WireRequest): Promise<WireResponse | Error> {
    const { world, exchange, outages, onWarning } = this.#options;
    const startMs = world.clock.monotonicMs();
    let outcome: WireResponse | Error;
    try {
      outcome = await exchange(request);
      if (onWarning) warningTexts(outcome.header("warning") ?? "").forEach((text) => onWarning(text));
    } catch (error) {
      outcome = toError(error);
    }
    outages.note(outcome);
    this.#metrics.requests.inc([codeOf(outcome), call.method, this.#host]);
    if (!call.isWatch) {
      const labels = [call.method, this.#host];
      this.#metrics.durationSeconds.observe((world.clock.monotonicMs() - startMs) / 1000, labels);
      if (call.body !== undefined) this.#metrics.requestBytes.observe(call.body.length, labels);
    }
    return outcome;
  }

  #countRetry(call: Call, outcome: WireResponse | Error): void {
    this.#metrics.retries.inc([codeOf(outcome), call.method, this.#host]);
  }
}

function codeOf(outcome: WireResponse | Error): string {
  return outcome instanceof Error ? "<error>" : String(outcome.status);
}

/** Seconds in a Retry-After header; a date does not count. */
export function retryAfterSeconds(response: WireResponse): number | undefined {
  const text = response.header("retry-after")?.trim() ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function retryPauseMs(call: Call, outcome: WireResponse | Error): number | undefined {
  if (!(outcome instanceof Error)) {
    const seconds = outcome.status === 429 || outcome.status >= 500 ? retryAfterSeconds(outcome) : undefined;
    return seconds === undefined ? undefined : Math.min(seconds * 1000, MAX_PAUSE_MS);
  }
  if (call.method !== "GET") return undefined;
  return isConnectionLost(outcome) || (call.isWatch && isConnectionTimeout(outcome)) ? 1000 : undefined;
}

function joined(error: Error, previous: Error | undefined): Error {
  const failure = connectionFailureOf(error);
  if (!previous || !failure || previous.message === error.message) return error;
  const message = `${error.message} - error from a previous attempt: ${previous.message}`;
  return new ConnectionError(failure, message, { cause: error });
}
