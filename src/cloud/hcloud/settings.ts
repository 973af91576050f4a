import { parseDuration } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { rangeText } from "./addresses.ts";
import { parseBoolean, parseInteger } from "./go_values.ts";

/** Which of a server's public addresses its Node gets. */
export type AddressFamily = "ipv4" | "ipv6" | "dualstack";
/** How servers are read: all at once, individually, or individually without a cache. */
export type ServerCacheMode = "all" | "one" | "off";
/** How connections are distributed over targets. */
export type Algorithm = "round_robin" | "least_connections";

/** Defaults for load balancers, which a Service's annotations override. */
export interface BalancerSettings {
  readonly isEnabled: boolean;
  readonly location: string;
  readonly networkZone: string;
  readonly type: string;
  readonly algorithm: Algorithm | undefined;
  readonly isPublicNetworkDisabled: boolean | undefined;
  readonly isPrivateIngressDisabled: boolean;
  readonly isIpv6Disabled: boolean;
  readonly usesPrivateIp: boolean;
  readonly usesProxyProtocol: boolean | undefined;
  readonly privateSubnet: string;
  /** 0: the API's own. */
  readonly healthCheckIntervalMs: number;
  readonly healthCheckTimeoutMs: number;
  readonly healthCheckRetries: number;
}

/** The settings from the environment. */
export interface HcloudSettings {
  readonly endpoint: string;
  /** ID or name; empty: none. */
  readonly network: string;
  readonly isAttachedCheckEnabled: boolean;
  readonly areRoutesEnabled: boolean;
  readonly addressFamily: AddressFamily;
  readonly hasZoneLabel: boolean;
  readonly serverCacheMode: ServerCacheMode;
  readonly serverCacheMaxAgeMs: number;
  readonly balancers: BalancerSettings;
}

/** The API itself. */
const ENDPOINT = "https://api.hetzner.cloud/v1";
const SERVER_CACHE_MAX_AGE_MS = 10_000;
const LONGEST_CACHE_AGE_MS = 600_000;
const FAMILIES: readonly AddressFamily[] = ["ipv4", "ipv6", "dualstack"];
const CACHE_MODES: readonly ServerCacheMode[] = ["all", "one", "off"];
const ALGORITHMS: readonly Algorithm[] = ["round_robin", "least_connections"];

/** Reads the environment and collects all problems, so that users see them at once. */
class Environment {
  readonly problems: string[] = [];
  readonly #env: (name: string) => string | undefined;

  constructor(env: (name: string) => string | undefined) {
    this.#env = env;
  }

  text(name: string): string {
    return this.#env(name) ?? "";
  }

  isSet(name: string): boolean {
    return this.#env(name) !== undefined;
  }

  flag<T extends boolean | undefined>(name: string, fallback: T): boolean | T {
    const text = this.#env(name);
    return text === undefined ? fallback : this.#read<boolean | T>(name, () => parseBoolean(text), fallback);
  }

  durationMs(name: string, fallback: number): number {
    const text = this.text(name);
    if (text === "") return fallback;
    const durationMs = this.#read(name, () => parseDuration(text), fallback);
    if (durationMs < 0) this.problems.push(`invalid value for "${name}": must not be negative`);
    return durationMs;
  }

  integer(name: string, fallback: number): number {
    const text = this.text(name);
    return text === "" ? fallback : this.#read(name, () => parseInteger(text), fallback);
  }

  oneOf<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const text = this.text(name);
    const choice = choices.find((choice) => choice === text);
    if (choice || text === "") return choice ?? fallback;
    this.problems.push(`invalid value for "${name}", expect one of: ${choices.join(",")}`);
    return fallback;
  }

  #read<T>(name: string, parse: () => T, fallback: T): T {
    try {
      return parse();
    } catch (error) {
      this.problems.push(`failed to parse ${name}: ${errorText(error)}`);
      return fallback;
    }
  }
}

/**
 * Reads the environment with the vendor's names, defaults and rules.
 * Upstream: `hcloud-cloud-controller-manager/internal/config`.
 *
 * Differences: `ROBOT_ENABLED` is refused, because a manager that does not support dedicated servers would remove them
 * from load balancers; durations must not be negative.
 *
 * @throws {Error} A one-line message with all problems.
 */
export function readSettings(env: (name: string) => string | undefined): HcloudSettings {
  const from = new Environment(env);
  const network = from.text("HCLOUD_NETWORK");
  const settings: HcloudSettings = {
    endpoint: withoutSlash(from.text("HCLOUD_ENDPOINT") || ENDPOINT),
    network,
    isAttachedCheckEnabled: !from.flag("HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK", false),
    areRoutesEnabled: network !== "" && from.flag("HCLOUD_NETWORK_ROUTES_ENABLED", true),
    addressFamily: from.oneOf("HCLOUD_INSTANCES_ADDRESS_FAMILY", FAMILIES, "ipv4"),
    hasZoneLabel: from.flag("HCLOUD_INSTANCES_ZONE_LABEL_ENABLED", true),
    serverCacheMode: from.oneOf("HCLOUD_SERVER_CACHE_MODE", CACHE_MODES, "all"),
    serverCacheMaxAgeMs: from.durationMs("HCLOUD_SERVER_CACHE_MAX_AGE", SERVER_CACHE_MAX_AGE_MS),
    balancers: readBalancerSettings(from),
  };
  check(from, settings);
  if (from.problems.length > 0) throw new Error(from.problems.join("; "));
  return settings;
}

function withoutSlash(address: string): string {
  let end = address.length;
  while (address[end - 1] === "/") end--;
  return address.slice(0, end);
}

function readBalancerSettings(from: Environment): BalancerSettings {
  const name = (end: string) => `HCLOUD_LOAD_BALANCERS_${end}`;
  const algorithm = from.text(name("ALGORITHM_TYPE"));
  return {
    isEnabled: from.flag(name("ENABLED"), true),
    location: from.text(name("LOCATION")),
    networkZone: from.text(name("NETWORK_ZONE")),
    type: from.text(name("TYPE")),
    algorithm: algorithm === "" ? undefined : readAlgorithm(from, name("ALGORITHM_TYPE"), algorithm),
    isPublicNetworkDisabled: from.flag(name("DISABLE_PUBLIC_NETWORK"), undefined),
    isPrivateIngressDisabled: from.flag(name("DISABLE_PRIVATE_INGRESS"), false),
    isIpv6Disabled: from.flag(name("DISABLE_IPV6"), false),
    usesPrivateIp: from.flag(name("USE_PRIVATE_IP"), false),
    usesProxyProtocol: from.flag(name("USES_PROXYPROTOCOL"), undefined),
    privateSubnet: from.text(name("PRIVATE_SUBNET_IP_RANGE")),
    healthCheckIntervalMs: from.durationMs(name("HEALTH_CHECK_INTERVAL"), 0),
    healthCheckTimeoutMs: from.durationMs(name("HEALTH_CHECK_TIMEOUT"), 0),
    healthCheckRetries: from.integer(name("HEALTH_CHECK_RETRIES"), 0),
  };
}

function readAlgorithm(from: Environment, name: string, text: string): Algorithm | undefined {
  const algorithm = algorithmCalled(text.trim());
  if (!algorithm) from.problems.push(`invalid value for "${name}": unsupported value ${JSON.stringify(text)}`);
  return algorithm;
}

/** The algorithm of that name in any case; `undefined` if there is none. */
export function algorithmCalled(name: string): Algorithm | undefined {
  return ALGORITHMS.find((algorithm) => algorithm === name.toLowerCase());
}

function check(from: Environment, { endpoint, serverCacheMaxAgeMs, balancers }: HcloudSettings): void {
  const { problems } = from;
  const { location, networkZone, privateSubnet } = balancers;
  const url = URL.parse(endpoint);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    problems.push('invalid value for "HCLOUD_ENDPOINT": must be the address of an API, such as https://host/v1');
  }
  if (serverCacheMaxAgeMs > LONGEST_CACHE_AGE_MS) {
    problems.push('invalid value for "HCLOUD_SERVER_CACHE_MAX_AGE": must not be longer than 10m');
  }
  if (location && networkZone) {
    problems.push(
      'invalid value for "HCLOUD_LOAD_BALANCERS_LOCATION"/"HCLOUD_LOAD_BALANCERS_NETWORK_ZONE", only one of them can be set',
    );
  }
  if (privateSubnet && rangeText(privateSubnet) === undefined) {
    problems.push('invalid value for "HCLOUD_LOAD_BALANCERS_PRIVATE_SUBNET_IP_RANGE": must be a valid CIDR');
  }
  if (from.flag("ROBOT_ENABLED", false)) {
    problems.push("ROBOT_ENABLED is set, but this provider does not know dedicated servers (Robot)");
  }
}
