import { stringify } from "@std/yaml";
import type { ApiServer } from "./apiserver/mod.ts";

/** A server that listens. */
export interface ServedApiServer extends AsyncDisposable {
  /** `http://127.0.0.1:8001` */
  readonly url: string;
  /** Ends open watches, lets requests finish and stops listening. The API server itself stays open. */
  close(): Promise<void>;
}

/**
 * Makes an embedded API server reachable by plain HTTP.
 *
 * @param options.port 0, the default, takes any free port.
 *
 * @example
 * ```ts
 * import { FakeWorld } from "../base/mod.ts";
 * import { createApiServer, serveApiServer } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const apiServer = createApiServer({ world: new FakeWorld() });
 * await using served = serveApiServer({ apiServer });
 * assertEquals(await (await fetch(`${served.url}/healthz`)).text(), "ok");
 * apiServer.close();
 * ```
 */
export function serveApiServer(
  { apiServer, port = 0, hostname = "127.0.0.1" }: {
    readonly apiServer: ApiServer;
    readonly port?: number;
    readonly hostname?: string;
  },
): ServedApiServer {
  const handler = ({ url, method, headers, body }: Request) =>
    // A request of its own, whose signal never fires: an abandoned answer cancels its stream, which is all that a watch needs.
    apiServer.fetch(new Request(url, { method, headers, body }));
  const server = Deno.serve({ port, hostname, onListen: () => {}, onError: brokenOff }, handler);
  const close = async () => {
    apiServer.closeWatches();
    await server.shutdown();
  };
  return { url: `http://${hostname}:${server.addr.port}`, close, [Symbol.asyncDispose]: close };
}

/** The handler rejects where a connection is to be lost: an answer that ends amid its body is how HTTP can show that. */
function brokenOff(error: unknown): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.error(error) }));
}

/**
 * A kubeconfig for a server that needs no credentials.
 *
 * @example
 * ```ts
 * import { kubeconfigText } from "./mod.ts";
 * import { assertStringIncludes } from "@std/assert";
 *
 * assertStringIncludes(kubeconfigText({ server: "http://127.0.0.1:8001" }), "current-context: kubeloop-dev");
 * ```
 */
export function kubeconfigText(
  { server, token, name = "kubeloop-dev" }: {
    readonly server: string;
    readonly token?: string;
    readonly name?: string;
  },
): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user: token === undefined ? {} : { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  });
}
