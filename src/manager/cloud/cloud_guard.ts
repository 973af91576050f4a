import type { Clock } from "../../base/mod.ts";
import { Deadline } from "../../client/mod.ts";
import {
  callCloud,
  type CloudCall,
  CloudError,
  type CloudProvider,
  describe,
  errorOf,
  failureOf,
  mayChange,
  providerBehind,
  timeLimitOf,
} from "../../cloud/mod.ts";
import { checkedAnswer } from "./cloud_answers.ts";

/** A call that would change the cloud was not made, because this process may not write. */
class CloudFencedError extends CloudError {
  override readonly name = "CloudFencedError";

  constructor(method: string) {
    super(`The cloud was not asked to ${method}: this process may not write any more`);
  }
}

/** The cloud did not answer in time. */
export class CloudTimeoutError extends CloudError {
  override readonly name = "CloudTimeoutError";

  /** @param timeLimitMs In milliseconds. */
  constructor(method: string, timeLimitMs: number) {
    super(`The cloud did not answer ${method} within ${timeLimitMs / 1000} s`);
  }
}

/** Options of {@link CloudGuard}. */
export interface CloudGuardOptions {
  readonly clock: Clock;
  readonly provider: CloudProvider;
  /** Called immediately before each call that may change something. */
  mayWrite(): boolean;
  /** Called with the result of each call: `ok`, `refused`, `late`, or the kind of its error. */
  onEnd?(method: string, result: string): void;
}

/**
 * All of the controllers' calls to the cloud provider go through it.
 *
 * Contract:
 * 1. Nothing that would change the cloud is called while this process may not write.
 * 2. A call that has not ended by its time limit fails, whatever the provider does; its signal aborts.
 * 3. After `close` no call starts, and calls in progress are given up.
 * 4. An answer that makes no sense, or is too long, is an error; messages of errors are cut off after 4096 characters.
 */
export class CloudGuard {
  readonly #options: CloudGuardOptions;
  readonly #running = new Set<AbortController>();
  readonly provider: CloudProvider;
  #isClosed = false;

  constructor(options: CloudGuardOptions) {
    this.#options = options;
    this.provider = providerBehind(describe(options.provider), (call, signal) => this.#call(call, signal));
  }

  /** Calls that have not ended. */
  get running(): number {
    return this.#running.size;
  }

  close(): void {
    this.#isClosed = true;
    for (const running of this.#running) running.abort(new CloudError("The cloud is not waited for any more"));
  }

  async #call(call: CloudCall, signal: AbortSignal): Promise<unknown> {
    const { onEnd } = this.#options;
    try {
      const answer = await this.#make(call, signal);
      onEnd?.(call.method, "ok");
      return answer;
    } catch (error) {
      onEnd?.(call.method, resultOf(error));
      throw error;
    }
  }

  async #make(call: CloudCall, signal: AbortSignal): Promise<unknown> {
    const { clock, provider, mayWrite } = this.#options;
    const { method } = call;
    signal.throwIfAborted();
    if (this.#isClosed || mayChange(call) && !mayWrite()) throw new CloudFencedError(method);
    const timeoutMs = timeLimitOf(call);
    if (timeoutMs === undefined) throw new TypeError(`Cannot call ${method}: there is no such method`);
    const running = new AbortController();
    const onAbort = () => running.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    this.#running.add(running);
    try {
      using deadline = new Deadline(clock, {
        signal: running.signal,
        timeoutMs,
        reason: () => new CloudTimeoutError(method, timeoutMs),
      });
      const answer = await Promise.race([callCloud(provider, call, deadline.signal), failure(deadline.signal)]);
      return checkedAnswer(call, answer);
    } catch (error) {
      throw withShortMessage(error);
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#running.delete(running);
    }
  }
}

function resultOf(error: unknown): string {
  if (error instanceof CloudFencedError) return "refused";
  return error instanceof CloudTimeoutError ? "late" : failureOf(error).kind;
}

/** Messages end up in events and logs. */
const LONGEST_MESSAGE = 4096;

function withShortMessage(error: unknown): unknown {
  const failure = failureOf(error);
  if (failure.message.length <= LONGEST_MESSAGE) return error;
  return errorOf({ ...failure, message: `${failure.message.slice(0, LONGEST_MESSAGE)}...` });
}

/** Rejects with the reason of `signal` once it aborts. */
function failure(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
