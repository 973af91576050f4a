import { FakeWorld } from "../../../../src/base/mod.ts";
import { type ApiServer, type ApiServerOptions, createApiServer } from "../../../../src/sandbox/mod.ts";

/** JSON of any shape, for looking into answers. */
// deno-lint-ignore no-explicit-any -- answers are looked into by tests that know what they asked for
export type Loose = any;

/** An answer, read. */
export interface Answer {
  readonly status: number;
  readonly body: Loose;
  readonly headers: Headers;
}

/** How a request is sent. */
export interface SendOptions {
  readonly accept?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const MERGE = "application/merge-patch+json";
export const STRATEGIC = "application/strategic-merge-patch+json";
export const JSON_PATCH = "application/json-patch+json";
export const APPLY = "application/apply-patch+yaml";
export const PARTIAL = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

/** An API server in a fake world, and short ways to talk to it. */
export class Harness implements Disposable {
  readonly world: FakeWorld = new FakeWorld();
  readonly server: ApiServer;

  constructor(options: Partial<ApiServerOptions> = {}) {
    this.server = createApiServer({ managedFields: false, ...options, world: this.world });
  }

  async send(method: string, path: string, body?: unknown, options: SendOptions = {}): Promise<Answer> {
    const response = await this.server.fetch(this.request(method, path, body, options));
    const text = await response.text();
    const isJson = text.startsWith("{");
    return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
  }

  request(method: string, path: string, body?: unknown, { accept, contentType, headers }: SendOptions = {}): Request {
    return new Request(`http://server${path}`, {
      method,
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
      headers: {
        accept: accept ?? "application/json",
        "content-type": contentType ?? "application/json",
        "user-agent": "test/1",
        ...headers,
      },
    });
  }

  get = (path: string, options?: SendOptions): Promise<Answer> => this.send("GET", path, undefined, options);
  post = (path: string, body: unknown): Promise<Answer> => this.send("POST", path, body);
  put = (path: string, body: unknown): Promise<Answer> => this.send("PUT", path, body);
  delete = (path: string, body?: unknown): Promise<Answer> => this.send("DELETE", path, body);
  patch = (path: string, body: unknown, contentType = MERGE): Promise<Answer> =>
    this.send("PATCH", path, body, { contentType });

  /** Opens a watch on `path`; `query` starts with `&`. */
  async watch(path: string, query = "", options: SendOptions = {}): Promise<WatchReader> {
    const separator = path.includes("?") ? "&" : "?";
    const response = await this.server.fetch(
      this.request("GET", `${path}${separator}watch=true${query}`, undefined, options),
    );
    return new WatchReader(response);
  }

  /** A namespace with its default service account, as controllers would have it. */
  async namespace(name: string): Promise<void> {
    await this.post("/api/v1/namespaces", { metadata: { name } });
    await this.account(name);
  }

  async account(namespace: string): Promise<void> {
    await this.post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: "default" } });
  }

  [Symbol.dispose](): void {
    this.server.close();
  }
}

/** Reads the events of a watch one by one. */
export class WatchReader {
  readonly status: number;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #lines: string[] = [];
  #rest = "";

  constructor(response: Response) {
    this.status = response.status;
    this.#reader = response.body!.getReader();
  }

  /** The next event; `undefined` at the end of the stream. */
  async next(): Promise<Loose> {
    while (this.#lines.length === 0) {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      const parts = (this.#rest + new TextDecoder().decode(value)).split("\n");
      this.#rest = parts.pop()!;
      this.#lines.push(...parts);
    }
    return JSON.parse(this.#lines.shift()!);
  }

  /** The next `count` events as `ADDED name`. */
  async texts(count: number): Promise<string[]> {
    const texts: string[] = [];
    for (let i = 0; i < count; i++) {
      const { type, object } = await this.next();
      texts.push(`${type} ${object.metadata?.name ?? object.reason ?? ""}`.trim());
    }
    return texts;
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel();
  }
}

/** A pod template, and what is made from it. */
export function template(image = "nginx:1", labels: Record<string, string> = { app: "a" }): Loose {
  return { metadata: { labels }, spec: { containers: [{ name: "c", image }] } };
}

export function workload(name: string, spec: object = {}): Loose {
  return { metadata: { name }, spec: { selector: { matchLabels: { app: "a" } }, template: template(), ...spec } };
}

export function pod(name: string, spec: object = {}): Loose {
  return { metadata: { name }, spec: { containers: [{ name: "c", image: "nginx:1" }], ...spec } };
}

export const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
export const PODS = "/api/v1/namespaces/default/pods";
export const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
export const JOBS = "/apis/batch/v1/namespaces/default/jobs";
