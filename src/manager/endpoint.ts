import type { World } from "../base/mod.ts";
import type { Health } from "./health.ts";
import type { ManagerOptions } from "./options.ts";

/** The manager's HTTPS endpoint. */
export interface Endpoint extends AsyncDisposable {
  readonly port: number;
}

/**
 * Serves `/healthz` on the secure port, on standbys too; every other path answers 404.
 *
 * @returns Nothing when `securePort` is 0.
 * @throws {Error} If the certificate cannot be read or the address is in use; the message names which.
 */
export async function serveEndpoint(
  world: World,
  { securePort, bindAddress, tlsCertFile, tlsPrivateKeyFile }: Pick<
    ManagerOptions,
    "securePort" | "bindAddress" | "tlsCertFile" | "tlsPrivateKeyFile"
  >,
  health: Health,
): Promise<Endpoint | undefined> {
  if (securePort === 0) return undefined;
  const certificate = tlsCertFile === ""
    ? await selfSigned(world, bindAddress)
    : { cert: await world.files.readText(tlsCertFile), key: await world.files.readText(tlsPrivateKeyFile) };
  const log = world.log.named("endpoint");
  try {
    const server = Deno.serve({
      hostname: bindAddress,
      port: securePort,
      ...certificate,
      onListen: ({ port }) => log.info("Serving securely", { address: `${bindAddress}:${port}` }),
      onError: (error) => {
        log.error("Request failed", { err: error });
        return new Response("internal error", { status: 500 });
      },
    }, (request) => respond(request, health));
    return { port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };
  } catch (error) {
    throw new Error(`Cannot serve on ${bindAddress}:${securePort}: ${(error as Error).message}`, { cause: error });
  }
}

function respond(request: Request, health: Health): Response {
  return new URL(request.url).pathname === "/healthz"
    ? health.respond(request)
    : new Response("404 page not found\n", { status: 404, headers: { "cache-control": "no-cache, private" } });
}

/** X.509 is loaded only where no certificate was given. */
async function selfSigned(world: World, bindAddress: string) {
  const { selfSignedCertificate } = await import("./serving_certificate.ts");
  return await selfSignedCertificate(world, bindAddress);
}
