import type { Logger, World } from "../base/mod.ts";
import { StatusError } from "../client/mod.ts";
import { FrameError } from "./frame.ts";
import { isExpiredOrGone, VeryShortWatchError } from "./watch_errors.ts";

/** Options of {@link ReflectorLog}. */
export interface ReflectorLogOptions {
  readonly world: Pick<World, "log">;
  /** `pods`, `deployments.apps`. */
  readonly resource: string;
  /** Called with what ended a list or a watch, instead of a log line. */
  readonly onError?: (error: unknown) => void;
}

/**
 * A reflector's log lines in upstream's words: at a normal level for problems that need attention, at a verbose level
 * for those it recovers from.
 * Upstream: `k8s.io/client-go/tools/cache/reflector.go`.
 */
export class ReflectorLog {
  readonly #log: Logger;
  readonly #resource: string;
  readonly #onError: ((error: unknown) => void) | undefined;

  constructor({ world, resource, onError }: ReflectorLogOptions) {
    this.#log = world.log.named("reflector");
    this.#resource = resource;
    this.#onError = onError;
  }

  populated(resourceVersion: string): void {
    this.#log.verbose(2, "Caches populated", { type: this.#resource, resourceVersion });
  }

  fellBackToList(error: unknown): void {
    const message = "The watchlist request ended with an error, falling back to the standard LIST/WATCH semantics";
    const fields = { type: this.#resource, err: error };
    const isUsual = error instanceof StatusError || error instanceof VeryShortWatchError;
    if (isUsual) this.#log.verbose(4, message, fields);
    else this.#log.warn(message, fields);
  }

  /** Verbose, because a restarting server refuses everybody. */
  backingOff(error: unknown): void {
    this.#log.verbose(4, "Watch failed - backing off", { type: this.#resource, err: error });
  }

  watchFellSilent(): void {
    this.#log.warn("Cut a watch that fell silent; resuming it", { type: this.#resource });
  }

  closedInsideFrame(error: unknown): void {
    this.#log.verbose(1, "Watch closed with unexpected EOF", { type: this.#resource, err: error });
  }

  watchEnded(error: unknown): void {
    const fields = { type: this.#resource, err: error instanceof FrameError ? decodeFailure(error) : error };
    if (isExpiredOrGone(error)) this.#log.verbose(4, "Watch closed", fields);
    else this.#log.warn("Warning: watch ended with error", fields);
  }

  /** @param what What failed, such as `failed to list`. */
  failed(what: string, error: unknown): void {
    if (this.#onError) return this.#onError(error);
    if (isExpiredOrGone(error)) {
      this.#log.verbose(4, `${what}: resourceVersion expired`, { type: this.#resource, err: error });
    } else {
      const err = new Error(`${what} ${this.#resource}: ${error}`, { cause: error });
      this.#log.error("Failed to watch", { type: this.#resource, err });
    }
  }
}

/**
 * The error for a stream that cannot be decoded.
 * Upstream: `k8s.io/client-go/rest/request.go` (NewClientErrorReporter, "ClientWatchDecoding").
 */
function decodeFailure(cause: Error): StatusError {
  const text = JSON.stringify(`unable to decode an event from the watch stream: ${cause.message}`);
  return new StatusError({
    status: "Failure",
    code: 500,
    reason: "InternalError",
    message: `an error on the server (${text}) has prevented the request from succeeding`,
    details: {
      causes: [
        {
          reason: "UnexpectedServerResponse",
          message: `unable to decode an event from the watch stream: ${cause.message}`,
        },
        { reason: "ClientWatchDecoding", message: `unable to decode an event from the watch stream: ${cause.message}` },
      ],
    },
  }, { cause });
}
