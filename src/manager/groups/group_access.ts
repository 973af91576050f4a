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

/** A thread's access to the API server, within its limits. */
export interface GroupAccess {
  /** The transport of the client in the main thread, which has the credentials and the fence. */
  transport(client: string): Transport;
  /** Absent if threads must not send requests directly. */
  readonly direct?: DirectAccess;
}

/** What a thread needs to send its accounts' requests directly. */
export interface DirectAccess {
  /** The API server's host and port, the only address that such a thread may reach. */
  readonly address: string;
  /** The token of the client's account. */
  token(client: string): AccountToken;
  /** TLS settings; they contain no secrets. */
  tls(): Promise<TlsSettings> | TlsSettings;
}

/** The client that all controllers use for discovery, with the process's own credentials. */
const DISCOVERY_CLIENT = "controller-discovery";
const DISCOVERY_PATH = /^\/(api(\/\w+)?|apis(\/\w[\w.-]*){0,2})$/;

/**
 * Restricts a group to requests of its own controllers' clients, and discovery. Through the main thread, whose account
 * may read everything, it reads only the metadata of Secrets unless it declares a need. A thread whose code misbehaves
 * must act neither as another group's controller nor as the process.
 *
 * @param options.server The base URL of the API server.
 * @returns An access that throws for all other clients and refuses tokens for clients with the process's own
 *   credentials.
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

/** A path segment; it must not be able to add more to the path. */
const PATH_SEGMENT = /^[a-z0-9][a-z0-9.-]*$/;

/**
 * Whether a group may watch `topic`, which uses the process's own credentials: every whole kind except the contents of
 * Secrets, and what its controllers' rows declare.
 */
export function mayWatch(
  { resource, metadataOnly, namespace, labelSelector, fieldSelector }: Topic,
  { informers }: Pick<Required<ControllerNeeds>, "informers">,
): boolean {
  const { group, version, plural } = resource;
  const segments: readonly unknown[] = group === "" ? [version, plural] : [group, version, plural];
  const scope = [namespace, labelSelector, fieldSelector].filter((each) => each !== undefined);
  // Data from a thread may have any type.
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

/**
 * Reads paths as the API server does: decoded once, and without empty segments. A malformed one may be about Secrets.
 */
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
        `Cannot send ${request.method} ${request.url} as client "${DISCOVERY_CLIENT}": it is not a discovery request`,
      );
    }
    return await exchange(request);
  });
}

function isDiscovery({ method, url }: WireRequest, server: string): boolean {
  const [base] = url.split("?");
  return method === "GET" && base.startsWith(server) && DISCOVERY_PATH.test(base.slice(server.length));
}
