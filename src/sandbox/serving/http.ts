import type { ApiServer } from "../apiserver/mod.ts";
import { listenErrorOf } from "./listen_error.ts";

/** A server that listens. */
export interface ServedApiServer extends AsyncDisposable {
  /** `http://127.0.0.1:8001` */
  readonly url: string;
  /** Ends open watches, lets requests finish and stops listening. The API server itself stays open. */
  close(): Promise<void>;
}

/** An API server as far as it has to be for serving it: something can be put around it. */
export type Servable = Pick<ApiServer, "closeWatches" | "fetch" | "serviceAddress">;

/** What is served where. */
export interface ServeOptions {
  readonly apiServer: Servable;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly hostname?: string;
}

/**
 * Makes an embedded API server reachable by plain HTTP.
 *
 * @throws {ListenError} If the port cannot be had.
 *
 * @example
 * ```ts
 * import { FakeWorld } from "../../base/mod.ts";
 * import { createApiServer } from "../apiserver/mod.ts";
 * import { serveApiServer } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const apiServer = createApiServer({ world: new FakeWorld() });
 * await using served = serveApiServer({ apiServer });
 * assertEquals(await (await fetch(`${served.url}/healthz`)).text(), "ok");
 * apiServer.close();
 * ```
 */
export function serveApiServer({ apiServer, port = 0, hostname = "127.0.0.1" }: ServeOptions): ServedApiServer {
  const handler = ({ url, method, headers, body }: Request) =>
    // A request of its own, whose signal never fires: an abandoned answer cancels its stream, which is all that a watch
    // needs.
    apiServer.fetch(new Request(url, { method, headers, body }));
  const server = listen({ port, hostname }, handler);
  const close = async () => {
    apiServer.closeWatches();
    await server.shutdown();
  };
  return { url: `http://${hostname}:${server.addr.port}`, close, [Symbol.asyncDispose]: close };
}

function listen(
  where: { readonly port: number; readonly hostname: string },
  handler: (request: Request) => Promise<Response>,
): Deno.HttpServer<Deno.NetAddr> {
  try {
    return Deno.serve({ ...where, onListen: () => {}, onError: brokenOff }, handler);
  } catch (error) {
    throw listenErrorOf(error, where);
  }
}

/**
 * The handler rejects where a connection is to be lost: an answer that ends amid its body is how HTTP can show that.
 */
function brokenOff(error: unknown): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.error(error) }));
}
