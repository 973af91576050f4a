import { type Answer, HcloudAnswerError } from "./answers.ts";
import { addressText } from "./addresses.ts";
import { addressIn, type PrivateNet, readPrivateNets } from "./server.ts";

/** The label with the UID of a load balancer's Service. */
export const SERVICE_UID_LABEL = "hcloud-ccm/service-uid";

/** A port of a load balancer. Optional fields may be absent in requests, which leaves them unchanged. */
export interface BalancerService {
  readonly protocol: string;
  readonly listen_port: number;
  readonly destination_port: number;
  readonly proxyprotocol?: boolean;
  readonly http?: BalancerHttp;
  readonly health_check: BalancerHealthCheck;
}

export interface BalancerHttp {
  readonly cookie_name?: string;
  /** In seconds. */
  readonly cookie_lifetime?: number;
  readonly certificates?: readonly number[];
  readonly redirect_http?: boolean;
  readonly sticky_sessions?: boolean;
  /** In seconds. */
  readonly timeout_idle?: number;
}

export interface BalancerHealthCheck {
  readonly protocol: string;
  readonly port: number;
  /** In seconds. */
  readonly interval?: number;
  /** In seconds. */
  readonly timeout?: number;
  readonly retries?: number;
  readonly http?: BalancerHealthCheckHttp;
}

export interface BalancerHealthCheckHttp {
  readonly domain?: string;
  readonly path?: string;
  readonly status_codes?: readonly string[];
  readonly tls?: boolean;
}

/** A load balancer's target. `other`: servers selected by label, which are never created here. */
export type BalancerTarget =
  | { readonly kind: "server"; readonly server: number; readonly usesPrivateIp: boolean }
  | { readonly kind: "ip"; readonly ip: string }
  | { readonly kind: "other" };

/** A public address and its name. */
export interface PublicAddress {
  /** Empty if there is none. */
  readonly ip: string;
  readonly rdns: string;
}

/** The used fields of a load balancer. */
export interface Balancer {
  readonly id: number;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isProtected: boolean;
  readonly type: string;
  readonly maxTargets: number;
  readonly maxServices: number;
  readonly algorithm: string;
  readonly isPublic: boolean;
  readonly ipv4: PublicAddress;
  readonly ipv6: PublicAddress;
  readonly privateNets: readonly PrivateNet[];
  /** In the API's format. */
  readonly services: readonly BalancerService[];
  readonly targets: readonly BalancerTarget[];
}

/** @throws {HcloudAnswerError} If a field is missing. */
export function readBalancer(answer: Answer): Balancer {
  const publicNet = answer.object("public_net");
  const type = answer.object("load_balancer_type");
  return {
    id: answer.id("id"),
    name: answer.text("name"),
    labels: answer.record("labels"),
    isProtected: answer.object("protection").flag("delete"),
    type: type.text("name"),
    maxTargets: type.integer("max_targets"),
    maxServices: type.integer("max_services"),
    algorithm: answer.object("algorithm").text("type"),
    isPublic: publicNet.flag("enabled"),
    ipv4: readPublicAddress(publicNet.objectIfAny("ipv4")),
    ipv6: readPublicAddress(publicNet.objectIfAny("ipv6")),
    privateNets: readPrivateNets(answer),
    services: answer.objects("services").map(readService),
    targets: answer.objects("targets").map(readTarget),
  };
}

function readPublicAddress(address: Answer | undefined): PublicAddress {
  return { ip: addressIn(address, addressText), rdns: address?.textIfAny("dns_ptr") ?? "" };
}

function readService(answer: Answer): BalancerService {
  const http = answer.objectIfAny("http");
  return {
    protocol: answer.text("protocol"),
    listen_port: answer.integer("listen_port"),
    destination_port: answer.integer("destination_port"),
    proxyprotocol: answer.flag("proxyprotocol"),
    ...http && { http: readHttp(http) },
    health_check: readHealthCheck(answer.object("health_check")),
  };
}

function readHttp(answer: Answer): BalancerHttp {
  return {
    ...answer.has("cookie_name") && { cookie_name: answer.text("cookie_name") },
    ...answer.has("cookie_lifetime") && { cookie_lifetime: answer.integer("cookie_lifetime") },
    ...answer.has("certificates") && { certificates: answer.ids("certificates") },
    ...answer.has("redirect_http") && { redirect_http: answer.flag("redirect_http") },
    ...answer.has("sticky_sessions") && { sticky_sessions: answer.flag("sticky_sessions") },
    ...answer.has("timeout_idle") && { timeout_idle: answer.integer("timeout_idle") },
  };
}

function readHealthCheck(answer: Answer): BalancerHealthCheck {
  const http = answer.objectIfAny("http");
  return {
    protocol: answer.text("protocol"),
    port: answer.integer("port"),
    interval: answer.integer("interval"),
    timeout: answer.integer("timeout"),
    retries: answer.integer("retries"),
    ...http && {
      http: {
        domain: http.textIfAny("domain"),
        path: http.textIfAny("path"),
        ...http.has("status_codes") && { status_codes: http.texts("status_codes") },
        ...http.has("tls") && { tls: http.flag("tls") },
      },
    },
  };
}

function readTarget(answer: Answer): BalancerTarget {
  switch (answer.text("type")) {
    case "server":
      return {
        kind: "server",
        server: answer.object("server").id("id"),
        usesPrivateIp: answer.has("use_private_ip") && answer.flag("use_private_ip"),
      };
    case "ip":
      return { kind: "ip", ip: answer.object("ip").text("ip") };
    case "label_selector":
      return { kind: "other" };
    default:
      throw new HcloudAnswerError("cannot use the answer of the Hetzner Cloud API: a target is of no known type");
  }
}
