import type { Service } from "../../api/mod.ts";
import { CloudError } from "../errors.ts";
import { addressText, rangeText } from "./addresses.ts";
import { annotationKey, Annotations } from "./annotations.ts";
import type { BalancerService } from "./balancer.ts";
import { type CertificateWish, readCertificateWish } from "./certificate_wish.ts";
import { readServiceWishes } from "./service_wish.ts";
import { type Algorithm, algorithmCalled, type BalancerSettings } from "./settings.ts";

/** What a Service wants of its load balancer. `undefined` means no preference. */
export interface BalancerWish {
  readonly uid: string;
  /** The name for creating it, and for finding it if it has no label. */
  readonly name: string;
  readonly isNameSet: boolean;
  readonly type: string;
  readonly isTypeSet: boolean;
  readonly location: string;
  readonly networkZone: string;
  readonly algorithm: Algorithm | undefined;
  readonly isPublic: boolean | undefined;
  readonly ipv4Rdns: string | undefined;
  readonly ipv6Rdns: string | undefined;
  readonly privateIp: string | undefined;
  readonly privateSubnet: string | undefined;
  readonly usesPrivateIp: boolean;
  /** Shown in its status instead of addresses. */
  readonly hostname: string | undefined;
  readonly isProxy: boolean;
  readonly showsIpv6: boolean;
  readonly showsPrivateIps: boolean;
  /** Without certificates. */
  readonly services: readonly BalancerService[];
  readonly certificates: CertificateWish;
  /** Protocols of ports that it does not support. */
  readonly unsupportedProtocols: readonly string[];
}

/** The default type. */
const DEFAULT_TYPE = "lb11";
/** The longest name derived from a UID. */
const MAX_NAME_LENGTH = 32;

/**
 * Reads everything in a Service before anything is changed. Upstream: `hcloud-cloud-controller-manager/internal/hcops`,
 * which creates the load balancer before it reads the annotations for ports.
 *
 * @param hasNetwork Whether there is a network that load balancers are attached to.
 * @throws {CloudError} If an annotation is malformed, or what it requests is impossible.
 */
export function readBalancerWish(service: Service, settings: BalancerSettings, hasNetwork: boolean): BalancerWish {
  const annotations = new Annotations(service);
  const uid = service.metadata?.uid ?? "";
  if (uid === "") throw new CloudError("a Service without a UID has no load balancer");
  const disablesPublic = annotations.flag("disable-public-network") ?? settings.isPublicNetworkDisabled;
  const usesPrivateIp = annotations.flag("use-private-ip") ?? settings.usesPrivateIp;
  if (usesPrivateIp && !hasNetwork) {
    throw new CloudError(`${annotationKey("use-private-ip")} needs a network: set HCLOUD_NETWORK`);
  }
  const type = annotations.text("type") ?? settings.type;
  const ports = service.spec?.ports ?? [];
  return {
    uid,
    name: annotations.text("name") ?? defaultName(uid),
    isNameSet: annotations.text("name") !== undefined,
    type: type || DEFAULT_TYPE,
    isTypeSet: type !== "",
    location: annotations.text("location") ?? settings.location,
    networkZone: annotations.text("network-zone") ?? settings.networkZone,
    algorithm: annotations.read("algorithm-type", readAlgorithm) ?? settings.algorithm,
    isPublic: disablesPublic === undefined ? undefined : !disablesPublic,
    ipv4Rdns: annotations.text("ipv4-rdns"),
    ipv6Rdns: annotations.text("ipv6-rdns"),
    privateIp: annotations.read("private-ipv4", readAddress),
    privateSubnet: annotations.read("private-subnet-ip-range", readRange) ?? rangeText(settings.privateSubnet),
    usesPrivateIp,
    hostname: annotations.text("hostname"),
    isProxy: annotations.flag("uses-proxyprotocol") ?? settings.usesProxyProtocol ?? false,
    showsIpv6: !(annotations.flag("ipv6-disabled") ?? settings.isIpv6Disabled),
    showsPrivateIps: !(annotations.flag("disable-private-ingress") ?? settings.isPrivateIngressDisabled),
    services: readServiceWishes(ports.filter(isTcp), annotations, settings),
    certificates: readCertificateWish(annotations, uid),
    unsupportedProtocols: ports.filter((port) => !isTcp(port)).map(({ protocol }) => protocol ?? ""),
  };
}

/** The default name of a Service's load balancer. Upstream: `cloudprovider.DefaultLoadBalancerName`. */
function defaultName(uid: string): string {
  return `a${uid.replaceAll("-", "")}`.slice(0, MAX_NAME_LENGTH);
}

/** The name by which a Service's load balancer is found. */
export function balancerNameOf(service: Service): string {
  return new Annotations(service).text("name") ?? defaultName(service.metadata?.uid ?? "");
}

function isTcp({ protocol }: { readonly protocol?: string }): boolean {
  return !protocol || protocol === "TCP";
}

function readAlgorithm(text: string): Algorithm {
  const algorithm = algorithmCalled(text);
  if (!algorithm) throw new Error(`invalid: ${text}`);
  return algorithm;
}

function readAddress(text: string): string {
  const address = addressText(text);
  if (address === undefined) throw new Error(`could not parse private IPv4 ${JSON.stringify(text)}`);
  return address;
}

function readRange(text: string): string {
  const range = rangeText(text);
  if (range === undefined) throw new Error(`could not parse private subnet IP range ${JSON.stringify(text)}`);
  return range;
}
