import { ConnectionError, WriteRefusedError } from "../../client/mod.ts";
import { CloudError, errorOf as cloudErrorOf } from "../../cloud/mod.ts";
import { DriverError, FolderError, SigningError, UndeclaredNeedError } from "../../controllers/mod.ts";
import type { Poster } from "../hub/mod.ts";
import type { PortAnswer, PortAsk, PortCancel, PortFailure, PortQuery, PortReply } from "./port_messages.ts";

interface Waiting {
  readonly query: PortQuery;
  resolve(answer: PortReply["answer"]): void;
  reject(error: unknown): void;
}

/**
 * Asks the main thread for what a group lacks: credentials, and possibly a network.
 *
 * Contract:
 * 1. Answers come to the queries they belong to, in whatever order.
 * 2. A query whose signal aborts is given up at both ends.
 * 3. A failed connection fails in the same way on this side, and a refusal throws the same error.
 */
export class Port {
  readonly #main: Poster<PortAsk | PortCancel>;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(main: Poster<PortAsk | PortCancel>) {
    this.#main = main;
  }

  /** Handles an answer of the main thread. */
  receive(message: PortReply | PortFailure): void {
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    this.#waiting.delete(message.id);
    if (message.what === "reply") return waiting.resolve(message.answer);
    waiting.reject(errorOf(message, waiting.query));
  }

  /**
   * @throws {ConnectionError | WriteRefusedError | UndeclaredNeedError | SigningError | FolderError | DriverError |
   *   CloudError} The error of the main thread.
   */
  ask<Q extends PortQuery>(query: Q, signal?: AbortSignal): Promise<PortAnswer<Q>> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<PortAnswer<Q>>();
    const onAbort = () => {
      this.#waiting.delete(id);
      this.#main.postMessage({ what: "cancel", id });
      reject(signal!.reason);
    };
    this.#waiting.set(id, { query, resolve: (answer) => resolve(answer as PortAnswer<Q>), reject });
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#main.postMessage({ what: "query", id, query });
    return promise.finally(() => signal?.removeEventListener("abort", onAbort));
  }
}

function errorOf({ failure, message, cloud }: PortFailure, query: PortQuery): Error {
  switch (failure) {
    case "fenced":
      return refused(query);
    case "undeclared":
      return new UndeclaredNeedError(message);
    case "unsigned":
      return new SigningError(message);
    case "folder":
      return new FolderError(message);
    case "driver":
      return new DriverError(message);
    case "cloud":
      return cloud ? cloudErrorOf(cloud) : new CloudError(message);
    default:
      return new ConnectionError(failure, message);
  }
}

function refused(query: PortQuery): WriteRefusedError {
  if (query.about === "request") return new WriteRefusedError(query);
  const account = query.about === "token" ? query.client : "";
  return new WriteRefusedError({ method: "POST", url: `serviceaccounts/${account}/token` });
}
