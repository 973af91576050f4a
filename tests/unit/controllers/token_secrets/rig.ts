import { joinKey, type KubeObject, type Resource, type Secret } from "../../../../src/api/mod.ts";
import { deepCopy, FakeWorld } from "../../../../src/base/mod.ts";
import { Indexer, Lister, NAMESPACE_INDEX, namespaceOf } from "../../../../src/cache/mod.ts";
import { Client, isNotFound } from "../../../../src/client/mod.ts";
import { createApiServer } from "../../../../src/sandbox/mod.ts";

/** The time at which all of these tests begin. */
export const NOW_MS = Date.UTC(2026, 0, 1);

/** An embedded API server, a client that writes down what it asks, and caches that hold what a test puts into them. */
export class Rig implements Disposable {
  readonly world = new FakeWorld({ startWallMs: NOW_MS });
  readonly server = createApiServer({ world: this.world });
  /** `PUT secrets/a`, in order. */
  readonly requests: string[] = [];
  /** The bodies of those that have one. */
  readonly bodies: unknown[] = [];
  readonly client = new Client({
    world: this.world,
    server: "http://127.0.0.1",
    userAgent: "test",
    transport: async (request) => {
      const { pathname, search } = new URL(request.url);
      this.requests.push(`${request.method} ${pathname.split("/").slice(-2).join("/")}${search}`);
      const text = await request.clone().text();
      if (text !== "") this.bodies.push(JSON.parse(text));
      return await this.server.fetch(request);
    },
  });

  /** A cache that has these objects, which the server has too unless `isGone` says otherwise. */
  async cached<T extends KubeObject>(
    resource: Resource<T>,
    objects: readonly T[],
    { isGone = false } = {},
  ): Promise<Lister<T>> {
    const indexer = new Indexer<T>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
    for (const object of objects) {
      const { namespace, name = "" } = object.metadata ?? {};
      if (isGone) indexer.add(deepCopy(object));
      else indexer.add(await this.store(resource, object, joinKey(namespace, name)));
    }
    return new Lister(indexer);
  }

  /** Puts an object on the server as it is, and gives it with its version. */
  async store<T extends KubeObject>(resource: Resource<T>, object: T, key = ""): Promise<T> {
    this.server.storeUnchecked(resource, object);
    const { namespace, name = key } = object.metadata ?? {};
    const stored = await this.client.get(resource, { namespace, name });
    this.requests.length = 0;
    return stored;
  }

  async find<T extends KubeObject>(resource: Resource<T>, namespace: string | undefined, name: string) {
    const at = this.requests.length;
    try {
      return await this.client.get(resource, { namespace, name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    } finally {
      this.requests.length = at;
    }
  }

  [Symbol.dispose](): void {
    this.server.close();
  }
}

/** Texts in base64, as Secrets have them. */
export function base64(texts: Readonly<Record<string, string | undefined>>): NonNullable<Secret["data"]> {
  const entries = Object.entries(texts).flatMap(([key, text]) => text === undefined ? [] : [[key, btoa(text)]]);
  return Object.fromEntries(entries);
}
