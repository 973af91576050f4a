import type { ServicePort } from "../../api/mod.ts";
import type { Annotations } from "./annotations.ts";
import type { BalancerHealthCheck, BalancerHttp, BalancerService } from "./balancer.ts";
import type { BalancerSettings } from "./settings.ts";

const PROTOCOLS = ["tcp", "http", "https"];

/**
 * What a Service wants of its load balancer's ports, except for certificates. Fields without an annotation or default
 * are absent and stay unchanged. The health check uses the node port; `healthCheckNodePort` is not used, as upstream.
 * Upstream: `hcloud-cloud-controller-manager/internal/hcops` (hclbServiceOptsBuilder).
 *
 * @param ports Its TCP ports.
 * @throws {CloudError} If an annotation is malformed.
 */
export function readServiceWishes(
  ports: readonly ServicePort[],
  annotations: Annotations,
  settings: BalancerSettings,
): BalancerService[] {
  const protocol = annotations.read("protocol", readProtocol) ?? "tcp";
  const proxyprotocol = annotations.flag("uses-proxyprotocol") ?? settings.usesProxyProtocol;
  const http = readHttp(annotations);
  const check = readHealthCheck(annotations, settings, protocol);
  return ports.map((port) => ({
    protocol,
    listen_port: port.port,
    destination_port: port.nodePort ?? 0,
    ...proxyprotocol !== undefined && { proxyprotocol },
    ...http && { http },
    health_check: check ? { port: port.nodePort ?? 0, ...check } : { protocol: "tcp", port: port.nodePort ?? 0 },
  }));
}

function readHttp(annotations: Annotations): BalancerHttp | undefined {
  return unlessEmpty(defined<BalancerHttp>({
    cookie_name: annotations.text("http-cookie-name"),
    cookie_lifetime: annotations.seconds("http-cookie-lifetime"),
    timeout_idle: annotations.seconds("http-timeout-idle"),
    redirect_http: annotations.flag("http-redirect-http"),
    sticky_sessions: annotations.flag("http-sticky-sessions"),
  }));
}

type CheckWish = Omit<BalancerHealthCheck, "port"> & { readonly port?: number };

/** `undefined` if nothing configures it; it is then a TCP check. */
function readHealthCheck(
  annotations: Annotations,
  settings: BalancerSettings,
  serviceProtocol: string,
): CheckWish | undefined {
  const ownProtocol = annotations.read("health-check-protocol", readProtocol);
  const said = unlessEmpty(defined({
    port: annotations.integer("health-check-port"),
    interval: annotations.seconds("health-check-interval") ?? secondsOf(settings.healthCheckIntervalMs),
    timeout: annotations.seconds("health-check-timeout") ?? secondsOf(settings.healthCheckTimeoutMs),
    retries: annotations.integer("health-check-retries") ?? (settings.healthCheckRetries || undefined),
  }));
  if (ownProtocol === undefined && !said) return undefined;
  const protocol = ownProtocol ?? serviceProtocol;
  if (protocol === "tcp") return { protocol, ...said };
  const http = defined({
    domain: annotations.text("health-check-http-domain"),
    path: annotations.text("health-check-http-path"),
    tls: annotations.flag("health-check-http-validate-certificate"),
    status_codes: annotations.texts("http-status-codes"),
  });
  return { protocol, ...said, http };
}

function readProtocol(text: string): string {
  const protocol = text.toLowerCase();
  if (!PROTOCOLS.includes(protocol)) throw new Error(`invalid: ${protocol}`);
  return protocol;
}

function secondsOf(durationMs: number): number | undefined {
  return durationMs === 0 ? undefined : Math.trunc(durationMs / 1000);
}

/** Removes fields that are `undefined`. */
function defined<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function unlessEmpty<T extends object>(fields: T): T | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields;
}
