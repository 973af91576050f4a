import { type ControllerOptions, CONTROLLERS } from "../controllers/mod.ts";
import type { MetricsView } from "../base/mod.ts";
import {
  type AuthenticationOptions,
  authenticationOptions,
  type AuthorizationOptions,
  authorizationOptions,
} from "./access_options.ts";
import { MANAGER_FLAGS } from "./flag_table.ts";
import { type FlagDefinition, FlagError, Flags } from "./flags.ts";
import { decideFeatureGates, type FeatureGates } from "./feature_gates.ts";
import { assignGroups, type GroupAssignment } from "./groups/mod.ts";
import { canonicalEntries, selectControllers } from "./controller_selection.ts";

/** Everything the manager's process is told by its command line. Times in milliseconds. */
export interface ManagerOptions {
  readonly kubeconfig: string;
  readonly master: string;
  readonly bindAddress: string;
  /** 0 serves nothing. */
  readonly securePort: number;
  readonly tlsCertFile: string;
  readonly tlsPrivateKeyFile: string;
  readonly certDir: string;
  readonly authentication: AuthenticationOptions;
  readonly authorization: AuthorizationOptions;
  readonly gates: FeatureGates;
  readonly metricsView: MetricsView;
  /** What all of this was read from. */
  readonly flags: Flags;
  readonly qps: number;
  readonly burst: number;
  /** Canonical names of the controllers asked for. */
  readonly controllers: ReadonlySet<string>;
  /** The entries of `--controllers`, with canonical names. */
  readonly controllerEntries: readonly string[];
  /** Which of them share a thread; empty for one thread in all. */
  readonly controllerGroups: readonly GroupAssignment[];
  /** Whether caches are filled while another process leads. */
  readonly warmStandby: boolean;
  readonly minResyncPeriodMs: number;
  readonly controllerStartIntervalMs: number;
  readonly controllerShutdownTimeoutMs: number;
  readonly rootCaFile: string;
  readonly election: ElectionOptions;
  readonly logging: LoggingOptions;
  readonly controllerOptions: Omit<ControllerOptions, "rootCaText">;
}

export interface ElectionOptions {
  readonly enabled: boolean;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly resourceName: string;
  readonly resourceNamespace: string;
}

export interface LoggingOptions {
  readonly format: "text" | "json";
  readonly verbosity: number;
  readonly vmodule: string;
}

/** Flags that this version acts on; the others of upstream's are accepted, checked, and named once in the log. */
const ACTED_ON: ReadonlySet<string> = new Set([
  "kubeconfig",
  "master",
  "bind-address",
  "secure-port",
  "tls-cert-file",
  "tls-private-key-file",
  "cert-dir",
  "authentication-kubeconfig",
  "authentication-skip-lookup",
  "authentication-token-webhook-cache-ttl",
  "authentication-tolerate-lookup-failure",
  "authorization-kubeconfig",
  "authorization-always-allow-paths",
  "authorization-webhook-cache-authorized-ttl",
  "authorization-webhook-cache-unauthorized-ttl",
  "client-ca-file",
  "requestheader-allowed-names",
  "requestheader-client-ca-file",
  "requestheader-extra-headers-prefix",
  "requestheader-group-headers",
  "requestheader-uid-headers",
  "requestheader-username-headers",
  "profiling",
  "feature-gates",
  "emulated-version",
  "min-compatibility-version",
  "disabled-metrics",
  "allow-metric-labels",
  "kube-api-qps",
  "kube-api-burst",
  "controllers",
  "controller-groups",
  "warm-standby",
  "min-resync-period",
  "controller-start-interval",
  "controller-shutdown-timeout",
  "root-ca-file",
  "leader-elect",
  "leader-elect-lease-duration",
  "leader-elect-renew-deadline",
  "leader-elect-retry-period",
  "leader-elect-resource-lock",
  "leader-elect-resource-name",
  "leader-elect-resource-namespace",
  "logging-format",
  "v",
  "vmodule",
  "concurrent-deployment-syncs",
  "concurrent-replicaset-syncs",
  "concurrent-namespace-syncs",
  "concurrent-gc-syncs",
  "namespace-sync-period",
  "enable-garbage-collector",
  "help",
  "version",
]);

/** Flags that upstream does not have. */
export const OWN_FLAGS: readonly FlagDefinition[] = [
  { name: "controller-groups", type: "strings", default: ["none"], group: "kubeloop" },
  { name: "warm-standby", type: "bool", default: true, group: "kubeloop" },
];

/** The flags of `kube-controller-manager`: upstream's, ours and `--help`. */
export function managerFlags(args: readonly string[]): Flags {
  const help = { name: "help", type: "bool", default: false, group: "global" } as const;
  const version = MANAGER_FLAGS.map((flag) =>
    flag.name === "version" ? { ...flag, type: "bool" as const, default: false } : flag
  );
  return new Flags([...version, ...OWN_FLAGS, help], args.map((arg) => arg === "-h" ? "--help" : arg));
}

/** Flags that were given and are deprecated: they do nothing, upstream neither. */
export function hiddenFlags(flags: Flags): string[] {
  return MANAGER_FLAGS.filter(({ name, isHidden }) => isHidden && flags.given.includes(name)).map(({ name }) => name);
}

/** Flags that were given and do nothing here yet. */
export function idleFlags(flags: Flags): string[] {
  return flags.given.filter((name) => !ACTED_ON.has(name));
}

/**
 * Reads and checks the options.
 *
 * @throws {FlagError} If a value is out of range, or values contradict each other; several complaints are joined as upstream
 * joins them.
 * @throws {UnknownControllerError} If `--controllers` names one that does not exist.
 */
export function managerOptions(flags: Flags): ManagerOptions {
  const entries = flags.strings("controllers");
  const controllers = selectControllers(entries);
  const { gates, objections: gateObjections } = decideFeatureGates({
    gates: flags.strings("feature-gates"),
    emulatedVersion: flags.strings("emulated-version"),
    minCompatibilityVersion: flags.strings("min-compatibility-version"),
  });
  const options: ManagerOptions = {
    kubeconfig: flags.string("kubeconfig"),
    master: flags.string("master"),
    bindAddress: flags.string("bind-address"),
    securePort: flags.number("secure-port"),
    tlsCertFile: flags.string("tls-cert-file"),
    tlsPrivateKeyFile: flags.string("tls-private-key-file"),
    certDir: flags.string("cert-dir"),
    authentication: authenticationOptions(flags),
    authorization: authorizationOptions(flags),
    gates,
    metricsView: {
      disabled: new Set(flags.strings("disabled-metrics")),
      allowedLabels: allowedLabels(flags.texts("allow-metric-labels")),
    },
    flags,
    qps: flags.number("kube-api-qps"),
    burst: flags.number("kube-api-burst"),
    controllers,
    controllerEntries: canonicalEntries(entries),
    controllerGroups: assignGroups(flags.strings("controller-groups"), {
      enabled: CONTROLLERS.map(({ name }) => name).filter((name) => controllers.has(name)),
      known: new Set(CONTROLLERS.map(({ name }) => name)),
      processors: navigator.hardwareConcurrency,
    }),
    warmStandby: flags.bool("warm-standby"),
    minResyncPeriodMs: flags.durationMs("min-resync-period"),
    controllerStartIntervalMs: flags.durationMs("controller-start-interval"),
    controllerShutdownTimeoutMs: flags.durationMs("controller-shutdown-timeout"),
    rootCaFile: flags.string("root-ca-file"),
    election: {
      enabled: flags.bool("leader-elect"),
      leaseDurationMs: flags.durationMs("leader-elect-lease-duration"),
      renewDeadlineMs: flags.durationMs("leader-elect-renew-deadline"),
      retryPeriodMs: flags.durationMs("leader-elect-retry-period"),
      resourceName: flags.string("leader-elect-resource-name"),
      resourceNamespace: flags.string("leader-elect-resource-namespace"),
    },
    logging: {
      format: flags.string("logging-format") === "json" ? "json" : "text",
      verbosity: flags.number("v"),
      vmodule: flags.string("vmodule"),
    },
    controllerOptions: {
      concurrentDeploymentSyncs: flags.number("concurrent-deployment-syncs"),
      concurrentReplicaSetSyncs: flags.number("concurrent-replicaset-syncs"),
      concurrentNamespaceSyncs: flags.number("concurrent-namespace-syncs"),
      concurrentGcSyncs: flags.number("concurrent-gc-syncs"),
      enableGarbageCollector: flags.bool("enable-garbage-collector"),
      namespaceSyncPeriodMs: flags.durationMs("namespace-sync-period"),
    },
  };
  const objections = [...gateObjections, ...validate(options, flags)];
  if (objections.length > 0) {
    throw new FlagError(objections.length === 1 ? objections[0] : `[${objections.join(", ")}]`);
  }
  return options;
}

/** `metric,label='v1,v2'` of each text. */
function allowedLabels(texts: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(texts.map((text) => {
    const [, key, values] = /^([^=]*)=['"]?(.*?)['"]?$/.exec(text) ?? ["", text, ""];
    return [key, new Set(values.split(","))] as const;
  }));
}

function validate(
  { securePort, election, tlsCertFile, tlsPrivateKeyFile, controllerOptions }: ManagerOptions,
  flags: Flags,
) {
  const objections: string[] = [];
  const check = (holds: boolean, objection: string) => holds || objections.push(objection);
  check(
    securePort >= 0 && securePort <= 65535,
    `--secure-port ${securePort} must be between 0 and 65535, inclusive. 0 for turning off secure port.`,
  );
  check(
    (tlsCertFile === "") === (tlsPrivateKeyFile === ""),
    "--tls-cert-file and --tls-private-key-file must be given together",
  );
  check(
    ["text", "json"].includes(flags.string("logging-format")),
    `format: Invalid value: ${JSON.stringify(flags.string("logging-format"))}: Unsupported log format`,
  );
  check(
    ["", "external"].includes(flags.string("cloud-provider")),
    cloudProviderObjection(flags.string("cloud-provider")),
  );
  for (const [name, value] of Object.entries(controllerOptions)) {
    if (typeof value === "number") check(value > 0, `${name} must be greater than 0, but got ${value}`);
  }
  if (election.enabled) {
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = election;
    check(flags.string("leader-elect-resource-lock") === "leases", 'resourceLock value must be "leases"');
    check(leaseDurationMs > renewDeadlineMs, "leaseDuration must be greater than renewDeadline");
    check(renewDeadlineMs > retryPeriodMs * 1.2, "renewDeadline must be greater than retryPeriod*JitterFactor");
    check(retryPeriodMs > 0, "retryPeriod must be greater than zero");
  }
  return objections;
}

function cloudProviderObjection(name: string): string {
  return `cloud provider ${JSON.stringify(name)} was specified, but built-in cloud providers are disabled. ` +
    "Please set --cloud-provider=external and migrate to an external cloud provider";
}
