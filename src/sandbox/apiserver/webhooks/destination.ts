import { decodeBase64 } from "@std/encoding/base64";
import { joinKey, type Service } from "../../../api/mod.ts";
import type { Store } from "../../storage/mod.ts";
import type { Hook } from "./hooks.ts";
import type { WebhookPeer } from "../operations/mod.ts";

/** The address of a webhook. */
export interface Destination {
  /** The URL in messages. */
  readonly url: string;
  readonly peer: WebhookPeer;
  /**
   * The URL to connect to.
   *
   * @throws {Error} If it is unknown.
   */
  connectUrl(): string;
}

const HTTPS_PORT = 443;

/**
 * The address of a webhook, by its URL or its Service. Upstream: `apiserver/pkg/util/webhook/client.go`
 * (hookClientConfig).
 *
 * @throws {Error} If its configuration has neither.
 */
export function destinationOf({ clientConfig, timeoutMs }: Hook, store: Store): Destination {
  const query = `?timeout=${timeoutMs / 1000}s`;
  const { service, url, caBundle } = clientConfig;
  const trusted = caBundle ? { caBundle: new TextDecoder().decode(decodeBase64(caBundle)) } : {};
  if (service) {
    const { namespace, name, path = "", port = HTTPS_PORT } = service;
    const serverName = `${name}.${namespace}.svc`;
    const rest = `${path.startsWith("/") ? "" : "/"}${path}${query}`;
    return {
      url: `https://${serverName}:${port}${rest}`,
      peer: { ...trusted, serverName },
      connectUrl: () => `https://${hostOf(store, { namespace, name, port })}:${port}${rest}`,
    };
  }
  if (!url) throw new Error("webhook configuration must have either service or URL");
  const { origin, hostname, pathname, protocol, host } = new URL(url);
  if (protocol !== "https:") throw new Error(`the URL of a webhook begins with https://, not ${protocol}//`);
  const shown = `https://${host}${pathname}${query}`;
  const isLocal = hostname === "localhost";
  const connected = isLocal ? origin.replace("localhost", "127.0.0.1") : origin;
  return {
    url: shown,
    peer: { ...trusted, serverName: hostname.replace(/^\[|\]$/g, "") },
    connectUrl: () => `${connected}${pathname}${query}`,
  };
}

/**
 * The host behind a Service. Upstream: `apiserver/pkg/util/proxy/proxy.go` (ResolveCluster). Cluster addresses lead to
 * pods, which are only simulated here.
 */
function hostOf(
  store: Store,
  { namespace, name, port }: { readonly namespace: string; readonly name: string; readonly port: number },
): string {
  const { spec } = store.get("services", joinKey(namespace, name)) as Service | undefined ?? {};
  const quoted = JSON.stringify(name);
  if (!spec) throw new Error(`service ${quoted} not found`);
  if (spec.type === "ExternalName") {
    const host = spec.externalName ?? "";
    return host === "localhost" ? "127.0.0.1" : host;
  }
  if (spec.clusterIP === "None") throw new Error('cannot route to service with ClusterIP "None"');
  if (!spec.ports?.some((each) => each.port === port)) {
    throw new Error(`no service port ${port} found for service ${quoted}`);
  }
  throw new Error(
    `dial tcp ${spec.clusterIP}:${port}: the pods behind a Service are simulated and answer nothing; ` +
      "use clientConfig.url, or a Service of type ExternalName",
  );
}
