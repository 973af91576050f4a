import { exchangeOf, type Transport, webTransport, type WireRequest } from "../../client/mod.ts";
import { clientNameOf } from "../../controllers/mod.ts";
import type { TransportOf } from "./port_server.ts";

/** The client with which all controllers ask what the API server serves; it has the process's own credentials. */
const DISCOVERY_CLIENT = "controller-discovery";
const DISCOVERY_PATH = /^\/(api(\/\w+)?|apis(\/\w[\w.-]*){0,2})$/;

/**
 * What a group may send: requests of its own controllers' clients, and discovery. A thread whose code has gone wrong must act
 * neither as another group's controller nor as the process itself.
 *
 * @param options.server The base URL of the API server.
 * @returns A function that throws for every other client.
 */
export function rightsOf(
  controllers: readonly string[],
  { transport, server }: { readonly transport: TransportOf; readonly server: string },
): TransportOf {
  const own = new Set(controllers.map(clientNameOf));
  return (client) => {
    if (own.has(client)) return transport(client);
    if (client === DISCOVERY_CLIENT) return discoveryOnly(transport(client), server.replace(/\/+$/, ""));
    const names = [...own].join(", ");
    throw new Error(
      `Cannot send as client ${JSON.stringify(client)}: the controllers of this group have only ${names}`,
    );
  };
}

function discoveryOnly(transport: Transport, server: string): Transport {
  const exchange = exchangeOf(transport);
  return webTransport(async (request) => {
    if (!isDiscovery(request, server)) {
      throw new Error(
        `Cannot send ${request.method} ${request.url} as client "${DISCOVERY_CLIENT}": it is no discovery`,
      );
    }
    return await exchange(request);
  });
}

function isDiscovery({ method, url }: WireRequest, server: string): boolean {
  const [base] = url.split("?");
  return method === "GET" && base.startsWith(server) && DISCOVERY_PATH.test(base.slice(server.length));
}
