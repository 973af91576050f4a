/** A provider behind HTTP on loopback, in the protocol of the provider `webhook`. */
import {
  callCloud,
  type Capability,
  type CloudCall,
  type CloudProvider,
  describe,
  failureOf,
} from "../../src/cloud/mod.ts";

/** A call takes no longer. */
const CALL_MS = 30_000;

export class CloudServer implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(provider: CloudProvider) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => Response.json(await answer(provider, request)),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

async function answer(provider: CloudProvider, request: Request): Promise<unknown> {
  const [, , capability, method] = new URL(request.url).pathname.split("/");
  const { args = [] } = await request.json() as { args?: unknown[] };
  if (capability === "describe") return { result: describe(provider) };
  try {
    const call: CloudCall = { capability: capability as Capability, method, args };
    return { result: await callCloud(provider, call, AbortSignal.timeout(CALL_MS)) ?? null };
  } catch (error) {
    return { error: failureOf(error) };
  }
}
