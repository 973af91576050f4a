import { SECRETS } from "../../api/mod.ts";
import { informerKey } from "../../cache/mod.ts";
import {
  ACCEPT_METADATA,
  ACCEPT_METADATA_LIST,
  type AccountToken,
  exchangeOf,
  ROOT_CLIENTS,
  type TlsSettings,
  type Transport,
  webTransport,
  type WireRequest,
} from "../../client/mod.ts";
import { clientNameOf, type ControllerNeeds, UndeclaredNeedError } from "../../controllers/mod.ts";
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
 * What a group may send: requests of its own controllers' clients, and discovery. Through the main thread, whose account may read
 * everything, it reads no Secrets but their metadata unless it needs some. A thread whose code has gone wrong must act
 * neither as another group's controller nor as the process itself.
 *
 * @param options.server The base URL of the API server.
 * @returns An access that throws for every other client, and gives no token for one that has the process's own credentials.
 */
export function restricted(
  access: GroupAccess,
  { controllers, needs, server }: {
    readonly controllers: readonly string[];
    readonly needs: Pick<Required<ControllerNeeds>, "informers">;
    readonly server: string;
  },
): GroupAccess {
  const { direct } = access;
  const base = server.replace(/(?<!\/)\/+$/, "");
  const readsSecrets = needs.informers.some(({ resource }) => informerKey(resource) === informerKey(SECRETS));
  const own = new Set(controllers.map(clientNameOf));
  const foreign = (client: string) => {
    const names = [...own].join(", ");
    return new Error(
      `Cannot send as client ${JSON.stringify(client)}: the controllers of this group have only ${names}`,
    );
  };
  return {
    transport: (client) => {
      if (!own.has(client) && client !== DISCOVERY_CLIENT) throw foreign(client);
      const transport = access.transport(client);
      if (!own.has(client)) return discoveryOnly(transport, base);
      return readsSecrets ? transport : withoutSecrets(transport, base);
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
 * Whether a group may watch `topic`, for which the process's own credentials are used: every whole kind but what Secrets hold, and
 * what its controllers' rows declare.
 */
export function mayWatch(
  { resource, metadataOnly, namespace, labelSelector, fieldSelector }: Topic,
  { informers }: Pick<Required<ControllerNeeds>, "informers">,
): boolean {
  const { group, version, plural } = resource;
  const segments: readonly unknown[] = group === "" ? [version, plural] : [group, version, plural];
  const scope = [namespace, labelSelector, fieldSelector].filter((each) => each !== undefined);
  // What a thread sends has whatever type it likes.
  const isPlain = segments.every((segment) => typeof segment === "string" && PATH_SEGMENT.test(segment));
  if (!isPlain || !scope.every((each) => typeof each === "string")) return false;
  const isWhole = scope.every((each) => each === "");
  if (isWhole && (plural !== "secrets" || metadataOnly === true)) return true;
  const key = informerKey(resource, { namespace, labelSelector, fieldSelector });
  return informers.some(({ resource, ...scope }) => informerKey(resource, scope) === key);
}

/** @throws {UndeclaredNeedError} If a group may not watch `topic`. */
export function checkTopic(topic: Topic, needs: Pick<Required<ControllerNeeds>, "informers">): void {
  if (mayWatch(topic, needs)) return;
  const { resource: { plural }, namespace, labelSelector, fieldSelector } = topic;
  throw new UndeclaredNeedError(
    `an informer of ${JSON.stringify({ plural, namespace, labelSelector, fieldSelector })}`,
  );
}

function withoutSecrets(transport: Transport, server: string): Transport {
  const exchange = exchangeOf(transport);
  return webTransport(async (request) => {
    if (!METADATA.has(String(request.headers.accept)) && isAboutSecrets(request, server)) {
      throw new UndeclaredNeedError(`the answer to ${request.method} ${request.url}`);
    }
    return await exchange(request);
  });
}

const METADATA: ReadonlySet<string> = new Set([ACCEPT_METADATA, ACCEPT_METADATA_LIST]);

/** As the API server takes paths: decoded once, and without empty segments. What cannot be understood may be about Secrets. */
function isAboutSecrets({ url }: WireRequest, server: string): boolean {
  if (!url.startsWith(`${server}/`)) return true;
  const path = url.slice(server.length).split(/[?#]/)[0];
  let segments;
  try {
    segments = decodeURIComponent(path).split("/").filter((segment) => segment !== "");
  } catch {
    return true;
  }
  if (segments.some((segment) => segment === "." || segment === "..")) return true;
  if (segments[0] !== "api") return false;
  const rest = segments.slice(segments[2] === "watch" ? 3 : 2);
  return rest[0] === "secrets" || rest[0] === "namespaces" && rest[2] === "secrets";
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
