import { type Clock, unlessAborted } from "../../base/mod.ts";
import { CloudError } from "../errors.ts";
import type { HcloudApi, Told } from "./api.ts";
import type { ClusterNodes } from "./cluster_nodes.ts";
import type { HcloudSettings } from "./settings.ts";
import { readServer, type Server } from "./server.ts";

/** How soon a list may be read again because a server is missing from it. */
const MISS_PERIOD_MS = 2000;
/** How long a failed list is not retried, so that a hundred Nodes cost a failing API one request. */
const FAILURE_PERIOD_MS = 2000;

type Listed = Told<readonly Server[]> & { readonly atMs: number };

/** How a server is looked up. */
export type ServerKey = { readonly id: number } | { readonly name: string };

/**
 * The project's servers, read together and cached for a short time (ten seconds by default), so that checking all Nodes
 * costs one request per fifty servers.
 *
 * A server that is missing here may still exist: see {@link confirmGone}.
 */
export class Servers {
  readonly #api: HcloudApi;
  readonly #clock: Clock;
  readonly #mode: HcloudSettings["serverCacheMode"];
  readonly #maxAgeMs: number;
  readonly #lifetime: AbortSignal;
  readonly #nodes: ClusterNodes;
  #listed: Listed | undefined;
  #listing: Promise<Listed> | undefined;
  #failure: { readonly error: unknown; readonly atMs: number } | undefined;
  /** Servers that were read individually, by ID. */
  readonly #single = new Map<number, Told<Server> & { readonly atMs: number }>();
  /** The token that has shown a server that a Node names by ID. */
  #provenToken: string | undefined;

  /** @param lifetime Cancels lists that several callers wait for. */
  constructor(
    api: HcloudApi,
    clock: Clock,
    settings: Pick<HcloudSettings, "serverCacheMode" | "serverCacheMaxAgeMs">,
    lifetime: AbortSignal,
    nodes: ClusterNodes,
  ) {
    this.#nodes = nodes;
    this.#api = api;
    this.#clock = clock;
    this.#lifetime = lifetime;
    this.#mode = settings.serverCacheMode;
    this.#maxAgeMs = settings.serverCacheMaxAgeMs;
  }

  /** All servers, read within the last `maxAgeMs`. */
  async all(signal: AbortSignal, maxAgeMs: number = this.#maxAgeMs): Promise<readonly Server[]> {
    return (await this.#list(signal, maxAgeMs)).value;
  }

  /** The server, if the API shows it. */
  async find(key: ServerKey, signal: AbortSignal): Promise<Server | undefined> {
    return this.#mode === "all" ? await this.#findInList(key, signal) : await this.#findSingle(key, signal);
  }

  /**
   * Confirms that a server that {@link find} did not find does not exist.
   *
   * A Node without a server is deleted, which must not happen because the cloud is failing or the token belongs to
   * another project. So all of these must hold, with the same token:
   *
   * 1. The project has servers at all.
   * 2. The token has shown a server that a Node of this cluster names by ID, either earlier or now: it is this
   *    cluster's project.
   * 3. Asked for the server itself, the API answers with its own `not_found`; or, for a Node without an ID, it lists
   *    none by that name.
   *
   * @returns The server, if it exists after all.
   * @throws {CloudError} If that cannot be determined.
   */
  async confirmGone(key: ServerKey, signal: AbortSignal): Promise<Server | undefined> {
    const what = `whether ${describeKey(key)} exists`;
    const listed = await this.#proven(what, signal);
    const shownNow = listed.value.find((server) => matches(server, key));
    if (shownNow) return shownNow;
    const { value: server, token } = await this.#ask(key, signal);
    if (!server && token !== listed.token) throw inDoubt(what, "the API token changed meanwhile");
    return server;
  }

  /**
   * Confirms that the token is for this cluster's project, by points 1 and 2 of {@link confirmGone}.
   *
   * @param what What depends on it, for the error message.
   * @throws {CloudError} If it may be another project's, or the cloud is failing.
   */
  async proveProject(what: string, signal: AbortSignal): Promise<void> {
    await this.#proven(what, signal);
  }

  async #proven(what: string, signal: AbortSignal): Promise<Listed> {
    const listed = await this.#list(signal, this.#maxAgeMs);
    if (listed.value.length === 0) throw inDoubt(what, "the project of the API token shows no server at all");
    if (this.#provenToken !== listed.token && await this.#nodes.nameAnyOf(listed.value, signal)) {
      this.#provenToken = listed.token;
    }
    if (this.#provenToken === listed.token) return listed;
    throw inDoubt(what, "the API token has not shown any server of this cluster yet; it may be another project's");
  }

  /** Records that a Node of this cluster names `server` by ID. */
  prove(server: Server): void {
    const listed = this.#listed;
    const single = this.#single.get(server.id);
    if (single?.value === server) this.#provenToken = single.token;
    else if (listed?.value.includes(server)) this.#provenToken = listed.token;
  }

  async #findInList(key: ServerKey, signal: AbortSignal): Promise<Server | undefined> {
    const found = (await this.#list(signal, this.#maxAgeMs)).value.find((server) => matches(server, key));
    if (found) return found;
    // It may be newer than the list.
    return (await this.#list(signal, MISS_PERIOD_MS)).value.find((server) => matches(server, key));
  }

  async #findSingle(key: ServerKey, signal: AbortSignal): Promise<Server | undefined> {
    const nowMs = this.#clock.monotonicMs();
    for (const [id, { atMs }] of this.#single) if (nowMs - atMs > this.#maxAgeMs) this.#single.delete(id);
    if (this.#mode === "one") {
      for (const { value } of this.#single.values()) if (matches(value, key)) return value;
    }
    const { value, token } = await this.#ask(key, signal);
    if (value) this.#single.set(value.id, { value, token, atMs: this.#clock.monotonicMs() });
    return value;
  }

  async #ask(key: ServerKey, signal: AbortSignal): Promise<Told<Server | undefined>> {
    if ("id" in key) {
      const { value, token } = await this.#api.getIfAny(`/servers/${key.id}`, signal);
      const server = value && readServer(value.object("server"));
      if (server && server.id !== key.id) throw new CloudError(`GET /servers/${key.id} shows server ${server.id}`);
      return { value: server, token };
    }
    const { value, token } = await this.#api.list("servers", { name: key.name }, signal);
    return { value: value.map(readServer).find((server) => matches(server, key)), token };
  }

  async #list(signal: AbortSignal, maxAgeMs: number): Promise<Listed> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#listed && nowMs - this.#listed.atMs <= maxAgeMs) return this.#listed;
    if (this.#failure && nowMs - this.#failure.atMs < FAILURE_PERIOD_MS) throw this.#failure.error;
    this.#listing ??= this.#read().finally(() => this.#listing = undefined);
    return await unlessAborted(this.#listing, signal);
  }

  async #read(): Promise<Listed> {
    try {
      const { value, token } = await this.#api.list("servers", {}, this.#lifetime);
      this.#failure = undefined;
      return this.#listed = { value: value.map(readServer), token, atMs: this.#clock.monotonicMs() };
    } catch (error) {
      this.#failure = { error, atMs: this.#clock.monotonicMs() };
      throw error;
    }
  }
}

function inDoubt(what: string, why: string): CloudError {
  return new CloudError(`cannot tell ${what}: ${why}`);
}

function matches(server: Server, key: ServerKey): boolean {
  return "id" in key ? server.id === key.id : server.name === key.name;
}

/** Describes the server for messages. */
export function describeKey(key: ServerKey): string {
  return "id" in key ? `server ${key.id}` : `a server called ${JSON.stringify(key.name)}`;
}
