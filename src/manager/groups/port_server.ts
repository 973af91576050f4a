import { type Clock, errorText } from "../../base/mod.ts";
import {
  ConnectionError,
  connectionFailureOf,
  type Exchange,
  exchangeOf,
  WriteRefusedError,
} from "../../client/mod.ts";
import {
  type ControllerDrivers,
  type ControllerFolders,
  type ControllerSigner,
  DriverError,
  FolderError,
  SigningError,
  UndeclaredNeedError,
} from "../../controllers/mod.ts";
import { type CloudProvider, failureOf as cloudFailureOf } from "../../cloud/mod.ts";
import type { Poster } from "../hub/mod.ts";
import { CloudCalls } from "./cloud_calls.ts";
import { DriverCalls } from "./driver_calls.ts";
import type { GroupAccess } from "./group_access.ts";
import type { PortAnswers, PortAsk, PortCancel, PortFailure, PortQuery, PortReply } from "./port_messages.ts";

/** The response headers that clients read. */
const PASSED_HEADERS = ["content-type", "retry-after", "warning"];
/** Each holds up to 64 KiB; a controller has at most about twenty workers. */
const MOST_SIGNED = 1000;
/** Folders may be large, and removing one occupies a thread of the runtime's pool. */
const MOST_FOLDERS = 8;
/** The longest path; file systems accept less. */
const LONGEST_PATH = 4096;

/** Options of {@link PortServer}. */
export interface PortServerOptions {
  readonly port: Poster<PortReply | PortFailure>;
  readonly clock: Clock;
  readonly access: GroupAccess;
  readonly signer: ControllerSigner;
  readonly folders: ControllerFolders;
  readonly drivers: ControllerDrivers;
  /** Absent if no row of the group declares that it calls the cloud. */
  readonly cloud?: CloudProvider;
}

/**
 * Serves a group: sends its requests with this thread's credentials and behind its fence, or supplies what it needs to
 * send them directly; signs, makes folders, runs volume drivers and calls the cloud for it.
 *
 * Contract:
 * 1. Every query is answered once, or fails, unless it was cancelled.
 * 2. After `close` nothing is answered any more, and what was under way is given up.
 * 3. At most a thousand signatures, eight folders, and a thousand calls each to the cloud and to volume drivers may be
 *    pending; more are refused.
 * 4. Only groups with a row that declares it may call the cloud. Its errors keep their meaning on the way.
 */
export class PortServer {
  readonly #options: PortServerOptions;
  readonly #exchanges = new Map<string, Exchange>();
  readonly #running = new Map<number, AbortController>();
  readonly #cloud: CloudCalls;
  readonly #drivers: DriverCalls;
  #signing = 0;
  #folders = 0;

  constructor(options: PortServerOptions) {
    this.#options = options;
    this.#cloud = new CloudCalls(options.cloud);
    this.#drivers = new DriverCalls(options.drivers);
  }

  /** Queries that are being answered. */
  get running(): number {
    return this.#running.size;
  }

  /** Handles a message of the group. */
  receive(message: PortAsk | PortCancel): void {
    if (message.what === "query") return void this.#serve(message);
    this.#running.get(message.id)?.abort();
    this.#running.delete(message.id);
  }

  close(): void {
    for (const running of this.#running.values()) running.abort();
    this.#running.clear();
  }

  async #serve({ id, query }: PortAsk): Promise<void> {
    const running = new AbortController();
    this.#running.set(id, running);
    const reply = await this.#reply(id, query, running.signal);
    if (this.#running.delete(id)) this.#options.port.postMessage(reply);
  }

  async #reply(id: number, query: PortQuery, signal: AbortSignal): Promise<PortReply | PortFailure> {
    try {
      return { what: "reply", id, answer: await this.#answer(query, signal) };
    } catch (error) {
      const failure = failureOf(error);
      if (!isAboutCloud(query) || failure.failure === "undeclared") return { what: "failure", id, ...failure };
      return { what: "failure", id, failure: "cloud", message: failure.message, cloud: cloudFailureOf(error) };
    }
  }

  async #answer(query: PortQuery, signal: AbortSignal): Promise<PortAnswers[keyof PortAnswers]> {
    const { access: { direct }, clock, signer, folders, drivers } = this.#options;
    if (query.about === "request") return await this.#send(query, signal);
    if (query.about === "clock") return { heardMs: clock.monotonicMs() };
    if (query.about === "publicKey") return await signer.publicKey(query.flag);
    if (query.about === "signature") return await this.#sign(query);
    if (query.about === "newFolder") return await this.#withFolders(() => folders.make());
    if (query.about === "removal") return await this.#remove(query.path);
    if (query.about === "drivers") return await drivers.find();
    if (query.about === "driverCall") return await this.#drivers.make(query.call, signal);
    if (query.about === "cloud") return await this.#cloud.make(query.call, signal);
    if (!direct) throw new Error(`Cannot answer a query for ${query.about}: this group does not send by itself`);
    if (query.about === "tls") return await direct.tls();
    const token = direct.token(query.client);
    if (query.refused !== undefined) token.refused(query.refused);
    return await token.usable(signal);
  }

  /** A cancelled request is still signed, and counts until then. */
  async #sign({ flag, algorithm, data }: PortQuery & { about: "signature" }): Promise<PortAnswers["signature"]> {
    if (this.#signing >= MOST_SIGNED) {
      throw new SigningError(`Cannot sign with the key of --${flag}: ${MOST_SIGNED} of this group are already waiting`);
    }
    this.#signing++;
    try {
      return await this.#options.signer.sign(flag, algorithm, data);
    } finally {
      this.#signing--;
    }
  }

  async #remove(path: unknown): Promise<true> {
    // Data from a thread may have any type.
    if (typeof path !== "string" || path.length > LONGEST_PATH) throw new FolderError("Cannot remove: not a path");
    await this.#withFolders(() => this.#options.folders.remove(path));
    return true;
  }

  /** Cancelled work still continues, and counts until it ends. */
  async #withFolders<T>(work: () => Promise<T>): Promise<T> {
    if (this.#folders >= MOST_FOLDERS) {
      throw new FolderError(`Cannot work on more than ${MOST_FOLDERS} folders of this group at a time`);
    }
    this.#folders++;
    try {
      return await work();
    } finally {
      this.#folders--;
    }
  }

  async #send(
    { client, method, url, headers, body }: PortQuery & { about: "request" },
    signal: AbortSignal,
  ): Promise<PortAnswers["request"]> {
    let exchange = this.#exchanges.get(client);
    if (!exchange) this.#exchanges.set(client, exchange = exchangeOf(this.#options.access.transport(client)));
    const response = await exchange({ method, url, headers, body, signal });
    const passed: Record<string, string> = {};
    for (const name of PASSED_HEADERS) {
      const value = response.header(name);
      if (value !== undefined) passed[name] = value;
    }
    const text = await response.text();
    if (response.isCut) throw new ConnectionError("protocol", `${method} ${url}: the answer is too long`);
    return { status: response.status, headers: passed, body: text };
  }
}

/** Data from a thread may have any type. */
function isAboutCloud(query: PortQuery | null): boolean {
  return query?.about === "cloud";
}

function failureOf(error: unknown): Pick<PortFailure, "failure" | "message"> {
  if (error instanceof UndeclaredNeedError) return { failure: "undeclared", message: error.what };
  const message = errorText(error);
  if (error instanceof SigningError) return { failure: "unsigned", message };
  if (error instanceof FolderError) return { failure: "folder", message };
  if (error instanceof DriverError) return { failure: "driver", message };
  return { failure: error instanceof WriteRefusedError ? "fenced" : connectionFailureOf(error) ?? "other", message };
}
