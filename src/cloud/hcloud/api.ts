import {
  Backoff,
  boundedText,
  type Counter,
  errorText,
  type MetricsRegistry,
  parseJson,
  sleep,
  unlessAborted,
  type World,
} from "../../base/mod.ts";
import { RetryError } from "../errors.ts";
import type { SendRequest } from "../factory.ts";
import { Answer } from "./answers.ts";
import { HcloudUnreachableError, isRefusal, refusalOf } from "./failures.ts";
import { PATIENCE_MS, RateGate } from "./rate_gate.ts";
import type { TokenSource } from "./token.ts";

/** The time limit of one request in milliseconds; the same as in the vendor's manager. */
const REQUEST_LIMIT_MS = 15_000;
/** How often a request is sent if its failures may be temporary. */
const TRIES = 3;
/** How often one is sent if the resource is busy. */
const BUSY_TRIES = 5;
/** How often one is sent if the rate limit refuses it, unless the gate gives up earlier. */
const LIMITED_TRIES = 10;
const RETRY_BACKOFF = { initialMs: 1000, capMs: 10_000, factor: 2, jitter: 0.5 };
/** A page of fifty servers takes about 300 kB. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
const PER_PAGE = 50;
/** How many pages of one list are read. */
const MAX_PAGES = 200;

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Options of the API client. */
export interface HcloudApiSetup {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  readonly send: SendRequest;
  /** Such as `https://api.hetzner.cloud/v1`. */
  readonly endpoint: string;
  readonly token: TokenSource;
}

/** A value and the token it was read with: a token belongs to one project permanently. */
export interface Told<T> {
  readonly value: T;
  readonly token: string;
}

/**
 * The REST API of Hetzner Cloud.
 *
 * Contract:
 * 1. Every request carries the token; nothing else holds it.
 * 2. A GET is sent again (three times in all) if there is no answer, or one with a status from 500 on. Anything else is
 *    sent again only where the API says that it did nothing: `rate_limit_exceeded` and `conflict`.
 * 3. All requests pass one {@link RateGate}.
 * 4. An answer is at most 2 MiB long, a request takes at most fifteen seconds, a list has at most two hundred pages.
 *
 * Upstream: `github.com/hetznercloud/hcloud-go` (Client), which also retries writes after timeouts.
 */
export class HcloudApi {
  readonly #setup: HcloudApiSetup;
  readonly #gate: RateGate;
  readonly #requests: Counter;

  constructor(setup: HcloudApiSetup) {
    this.#setup = setup;
    this.#gate = new RateGate(setup.world.clock);
    this.#requests = setup.metrics.counter({
      name: "hcloud_api_requests_total",
      help: "A counter for requests to the Hetzner Cloud API per endpoint, method and code.",
      labels: ["api_endpoint", "code", "method"],
    });
  }

  /** The current token. */
  token(): Promise<string> {
    return this.#setup.token.token();
  }

  /** @throws {HcloudError} If the API refuses. */
  async get(path: string, signal: AbortSignal): Promise<Answer> {
    return new Answer((await this.#request("GET", path, undefined, signal)).value, `GET ${path}`);
  }

  /** The object at `path`; `undefined` if the API itself answers that there is none. */
  async getIfAny(path: string, signal: AbortSignal): Promise<Told<Answer | undefined>> {
    const token = await this.token();
    try {
      const told = await this.#request("GET", path, undefined, signal);
      return { ...told, value: new Answer(told.value, `GET ${path}`) };
    } catch (error) {
      // A gateway's 404 does not have this code.
      const isNone = isRefusal(error, "not_found") && error.status === 404;
      if (isNone && token === await this.token()) return { value: undefined, token };
      throw error;
    }
  }

  /**
   * Reads a whole list, page by page.
   *
   * @param name The answer's field with the list, such as `servers`.
   */
  async list(name: string, query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Told<Answer[]>> {
    const items: Answer[] = [];
    const token = await this.token();
    for (let page = 1, pages = 0; page > 0; pages++) {
      const path = `/${name}?${new URLSearchParams({ ...query, page: String(page), per_page: String(PER_PAGE) })}`;
      if (pages === MAX_PAGES) throw new HcloudUnreachableError(`GET ${path}: there are more than ${MAX_PAGES} pages`);
      const answer = await this.get(path, signal);
      items.push(...answer.objects(name));
      const pagination = answer.object("meta").object("pagination");
      const next = pagination.has("next_page") ? pagination.id("next_page") : 0;
      if (next !== 0 && next <= page) throw new HcloudUnreachableError(`GET ${path}: the next page is ${next}`);
      if (next === 0 && pagination.has("total_entries") && pagination.integer("total_entries") !== items.length) {
        throw new HcloudUnreachableError(
          `GET ${path}: there are ${items.length} entries where ${pagination.integer("total_entries")} are promised`,
        );
      }
      page = next;
    }
    if (token !== await this.token()) throw new HcloudUnreachableError(`GET /${name}: the token changed meanwhile`);
    return { value: items, token };
  }

  /**
   * Sends a write.
   * @throws {HcloudError} If the API refuses.
   */
  async send(method: "POST" | "PUT", path: string, body: unknown, signal: AbortSignal): Promise<Answer> {
    return new Answer((await this.#request(method, path, body, signal)).value, `${method} ${path}`);
  }

  /** Deletes something; it is not an error if it does not exist. */
  async delete(path: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#request("DELETE", path, undefined, signal);
    } catch (error) {
      if (!isRefusal(error, "not_found")) throw error;
    }
  }

  async #request(method: Method, path: string, body: unknown, signal: AbortSignal): Promise<Told<unknown>> {
    const { world } = this.#setup;
    const backoff = new Backoff(world, RETRY_BACKOFF);
    for (let tries = 1;; tries++) {
      try {
        return await this.#try(method, path, body, signal);
      } catch (error) {
        signal.throwIfAborted();
        const isLimited = isRefusal(error, "rate_limit_exceeded");
        if (tries >= triesFor(method, error)) {
          throw isLimited ? new RetryError(error.message, PATIENCE_MS, { cause: error }) : error;
        }
        if (!isLimited) await sleep(world.clock, backoff.nextMs(), signal);
        signal.throwIfAborted();
      }
    }
  }

  async #try(method: Method, path: string, body: unknown, signal: AbortSignal): Promise<Told<unknown>> {
    const what = `${method} ${path}`;
    const token = await this.token();
    const ticket = await this.#gate.pass(signal);
    const { response, json } = await this.#exchange(method, path, token, body, signal);
    this.#gate.heard(ticket, response.status, response.headers);
    if (response.status >= 300) throw refusalOf(what, response.status, json instanceof Error ? undefined : json);
    if (json instanceof Error) throw new HcloudUnreachableError(`${what}: cannot read the answer: ${json.message}`);
    return { value: json, token };
  }

  async #exchange(method: Method, path: string, token: string, body: unknown, signal: AbortSignal) {
    const { send, endpoint, world } = this.#setup;
    const limit = new AbortController();
    const timer = world.clock.setTimer(REQUEST_LIMIT_MS, () => limit.abort(new Error("it took too long")));
    const either = AbortSignal.any([signal, limit.signal]);
    const endpointLabel = path.split("?")[0].replace(/\/\d+/g, "/-");
    try {
      const response = await unlessAborted(
        send(
          new Request(`${endpoint}${path}`, {
            method,
            headers: {
              authorization: `Bearer ${token}`,
              accept: "application/json",
              "user-agent": "kubeloop",
              ...body !== undefined && { "content-type": "application/json" },
            },
            body: body === undefined ? undefined : JSON.stringify(body),
            redirect: "manual",
            signal: either,
          }),
        ),
        either,
      );
      this.#requests.inc([endpointLabel, String(response.status), method.toLowerCase()]);
      const json = await readJson(response, either).catch((error) => {
        signal.throwIfAborted();
        return new Error(errorText(error));
      });
      return { response, json };
    } catch (error) {
      signal.throwIfAborted();
      this.#requests.inc([endpointLabel, "0", method.toLowerCase()]);
      throw new HcloudUnreachableError(`${method} ${path}: no answer: ${errorText(error)}`);
    } finally {
      timer.cancel();
    }
  }
}

/**
 * The JSON that an answer holds; `undefined` if it is empty.
 *
 * @throws {Error} If it is longer than 2 MiB, breaks off, or is not JSON.
 */
async function readJson({ body }: Response, signal: AbortSignal): Promise<unknown> {
  const text = await boundedText(body, { maxBytes: MAX_ANSWER_BYTES, signal, isStrict: true });
  return text === "" ? undefined : parseJson(text);
}

/** How often, in total, a request that fails with `error` is sent. */
function triesFor(method: Method, error: unknown): number {
  if (isRefusal(error, "rate_limit_exceeded")) return LIMITED_TRIES;
  if (isRefusal(error, "conflict")) return BUSY_TRIES;
  if (method !== "GET") return 1;
  if (error instanceof HcloudUnreachableError) return TRIES;
  return error instanceof Error && "status" in error && Number(error.status) >= 500 ? TRIES : 1;
}
