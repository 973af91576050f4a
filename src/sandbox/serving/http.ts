import { serveByNode, type ServedApiServer, type ServeOptions } from "./node_server.ts";

/**
 * Serves an embedded API server over plain HTTP.
 *
 * @throws {ListenError} If the port is not available.
 *
 * @example
 * ```ts
 * import { createApiServer } from "kubeloop/apiserver";
 * import { FakeWorld } from "kubeloop/world";
 * import { serveApiServer } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const apiServer = createApiServer({ world: new FakeWorld() });
 * await using served = await serveApiServer({ apiServer });
 * assertEquals(await (await fetch(`${served.url}/healthz`)).text(), "ok");
 * apiServer.close();
 * ```
 */
export async function serveApiServer(options: ServeOptions): Promise<ServedApiServer> {
  const { createServer } = await import("node:http");
  return await serveByNode(options, "http", (handler) => createServer(handler));
}
