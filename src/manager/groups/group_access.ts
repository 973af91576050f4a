import {
  type AccountToken,
  exchangeOf,
  ROOT_CLIENTS,
  type TlsSettings,
  type Transport,
  webTransport,
  type WireRequest,
} from "../../client/mod.ts";
import { clientNameOf } from "../../controllers/mod.ts";
import type { Topic } from "../hub/mod.ts";

/** How a thread without credentials gets at the API server, or as much of it as it may. */
export interface GroupAccess {
  /** What the client of that name sends through in the main thread: it has the credentials, and the fence. */
  transport(client: string): Transport;
  /** Absent where threads must not send by themselves. */
  readonly direct?: DirectAccess;
}

/** What a thread needs to send the requests of accounts by itself. */
export interface DirectAccess {
  /** Host and port of the API server: all that such a thread may reach. */
  readonly address: string;
  /** The token of that client's account. */
  token(client: string): AccountToken;
  /** What connections are made with; holds nothing secret. */
  tls(): Promise<TlsSettings> | TlsSettings;
}

/** The client with which all controllers ask what the API server serves; it has the process's own credentials. */
const DISCOVERY_CLIENT = "controller-discovery";
const DISCOVERY_PATH = /^\/(api(\/\w+)?|apis(\/\w[\w.-]*){0,2})$/;

/**
 * What a group may send: requests of its own controllers' clients, and discovery. A thread whose code has gone wrong must act
 * neither as another group's controller nor as the process itself.
 *
 * @param options.server The base URL of the API server.
 * @returns An access that throws for every other client, and gives no token for one that has the process's own credentials.
 */
export function restricted(
  access: GroupAccess,
  { controllers, server }: { readonly controllers: readonly string[]; readonly server: string },
): GroupAccess {
  const { direct } = access;
  const own = new Set(controllers.map(clientNameOf));
  const foreign = (client: string) => {
    const names = [...own].join(", ");
    return new Error(
      `Cannot send as client ${JSON.stringify(client)}: the controllers of this group have only ${names}`,
    );
  };
  return {
    transport: (client) => {
      if (own.has(client)) return access.transport(client);
      if (client !== DISCOVERY_CLIENT) throw foreign(client);
      return discoveryOnly(access.transport(client), server.replace(/(?<!\/)\/+$/, ""));
    },
    direct: direct && {
      ...direct,
      token: (client) => {
        if (!own.has(client) || ROOT_CLIENTS.has(client)) throw foreign(client);
        return direct.token(client);
      },
    },
  };
}

/** As in the path of a request, to which nothing may be added. */
const PATH_SEGMENT = /^[a-z0-9][a-z0-9.-]*$/;

/**
 * Whether a group may watch `topic`, for which the process's own credentials are used: everything but what Secrets hold. No
 * controller here reads more of them than their metadata.
 */
export function mayWatch({ resource: { group, version, plural }, metadataOnly }: Topic): boolean {
  const segments: readonly unknown[] = group === "" ? [version, plural] : [group, version, plural];
  // What a thread sends has whatever type it likes.
  const isPlain = segments.every((segment) => typeof segment === "string" && PATH_SEGMENT.test(segment));
  return isPlain && (plural !== "secrets" || metadataOnly === true);
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
