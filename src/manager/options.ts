import { type ControllerOptions, CONTROLLERS } from "../controllers/mod.ts";
import { KUBERNETES_VERSION } from "../base/mod.ts";
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
import { optionObjections } from "./option_checks.ts";
import { type ServingOptions, servingOptions } from "./serving_options.ts";

/** Everything the manager's process is told by its command line. Times in milliseconds. */
export interface ManagerOptions extends ServingOptions {
  readonly kubeconfig: string;
  readonly master: string;
  readonly authentication: AuthenticationOptions;
  readonly authorization: AuthorizationOptions;
  readonly gates: FeatureGates;
  readonly metricsView: MetricsFlags;
  /** What all of this was read from. */
  readonly flags: Flags;
  /** The version that this process says it has. */
  readonly reportedVersion: string;
  readonly qps: number;
  readonly burst: number;
  /** Whether each controller acts as a ServiceAccount of its own. */
  readonly useServiceAccountCredentials: boolean;
  /** Canonical names of the controllers asked for. */
  readonly controllers: ReadonlySet<string>;
  /** The entries of `--controllers`, with canonical names. */
  readonly controllerEntries: readonly string[];
  /** Which of them share a thread; empty for one thread in all. */
  readonly controllerGroups: readonly GroupAssignment[];
  /** Whether `/healthz` fails once a group stays down. */
  readonly unhealthyWhenGroupDown: boolean;
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

/** What the flags say of metrics on their way out. */
export interface MetricsFlags {
  /** Names of metrics that are left out. */
  readonly disabled: ReadonlySet<string>;
  /** By `metric,label`. */
  readonly allowedLabels: ReadonlyMap<string, ReadonlySet<string>>;
  /** A file with more of them; empty for none. */
  readonly manifest: string;
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

/** What Go's client takes where it is told 0. */
const GO_CLIENT = { qps: 5, burst: 10 };

/** Flags that this version acts on; the others of upstream's are accepted, checked, and named once in the log. */
const ACTED_ON: ReadonlySet<string> = new Set([
  "kubeconfig",
  "master",
  "bind-address",
  "secure-port",
  "tls-cert-file",
  "tls-private-key-file",
  "cert-dir",
  "permit-address-sharing",
  "permit-port-sharing",
  "tls-cipher-suites",
  "tls-min-version",
  "tls-sni-cert-key",
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
  "allow-metric-labels-manifest",
  "show-hidden-metrics-for-version",
  "kube-api-qps",
  "kube-api-burst",
  "use-service-account-credentials",
  "controllers",
  "controller-groups",
  "unhealthy-when-group-down",
  "warm-standby",
  "min-resync-period",
  "controller-start-interval",
  "controller-shutdown-timeout",
  "root-ca-file",
  "leader-elect",
  "enable-leader-migration",
  "leader-migration-config",
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
  "concurrent-rc-syncs",
  "concurrent-statefulset-syncs",
  "concurrent-daemonset-syncs",
  "concurrent-job-syncs",
  "concurrent-cron-job-syncs",
  "concurrent-ttl-after-finished-syncs",
  "concurrent-namespace-syncs",
  "terminated-pod-gc-threshold",
  "concurrent-gc-syncs",
  "namespace-sync-period",
  "enable-garbage-collector",
  "concurrent-resource-quota-syncs",
  "resource-quota-sync-period",
  "concurrent-horizontal-pod-autoscaler-syncs",
  "horizontal-pod-autoscaler-cpu-initialization-period",
  "horizontal-pod-autoscaler-downscale-stabilization",
  "horizontal-pod-autoscaler-initial-readiness-delay",
  "horizontal-pod-autoscaler-sync-period",
  "horizontal-pod-autoscaler-tolerance",
  "help",
  "version",
]);

/** Flags that upstream does not have. */
export const OWN_FLAGS: readonly FlagDefinition[] = [
  {
    name: "controller-groups",
    type: "strings",
    default: ["none"],
    group: "kubeloop",
    usage: "Which controllers share a thread: auto, none (one thread for all), or NAME=CONTROLLER;CONTROLLER,...",
  },
  // On: a leader without some of its controllers keeps the lease from those that could run them all. Who sees /healthz
  // fail (the kubelet, systemd's watchdog) starts it again.
  {
    name: "unhealthy-when-group-down",
    type: "bool",
    default: true,
    group: "kubeloop",
    usage: "Fail /healthz once a group has failed too often and stays down",
  },
  {
    name: "warm-standby",
    type: "bool",
    default: true,
    group: "kubeloop",
    usage: "Fill caches while another process leads",
  },
];

/** The flags of `kube-controller-manager`: upstream's, ours and `--help`. */
export function managerFlags(args: readonly string[]): Flags {
  const help = { name: "help", type: "bool", default: false, group: "global" } as const;
  return new Flags([...MANAGER_FLAGS, ...OWN_FLAGS, help], args.map((arg) => arg === "-h" ? "--help" : arg));
}

/** Flags that were given and are deprecated: they do nothing, upstream neither. */
export function hiddenFlags(flags: Flags): string[] {
  return MANAGER_FLAGS.filter(({ name, isHidden }) => isHidden && flags.given.includes(name)).map(({ name }) => name);
}

/** Whether a flag does something here. */
export function actsOn(name: string): boolean {
  return ACTED_ON.has(name);
}

/** Flags that were given and do nothing here yet. */
export function idleFlags(flags: Flags): string[] {
  return flags.given.filter((name) => !actsOn(name));
}

/**
 * Reads and checks the options.
 *
 * @param leftOut Controllers that do not run, whatever `--controllers` says.
 * @throws {FlagError} If a value is out of range, or values contradict each other; several complaints are joined as upstream
 * joins them.
 * @throws {UnknownControllerError} If `--controllers` names one that does not exist.
 */
export function managerOptions(flags: Flags, leftOut: ReadonlySet<string> = new Set()): ManagerOptions {
  const entries = flags.strings("controllers");
  const controllers = selectControllers(entries).difference(leftOut);
  const { gates, objections: gateObjections } = decideFeatureGates({
    gates: flags.strings("feature-gates"),
    emulatedVersion: flags.strings("emulated-version"),
    minCompatibilityVersion: flags.strings("min-compatibility-version"),
  });
  const options: ManagerOptions = {
    kubeconfig: flags.string("kubeconfig"),
    master: flags.string("master"),
    ...servingOptions(flags),
    authentication: authenticationOptions(flags),
    authorization: authorizationOptions(flags),
    gates,
    metricsView: {
      disabled: new Set(flags.strings("disabled-metrics")),
      allowedLabels: allowedLabels(flags.pairs("allow-metric-labels")),
      manifest: flags.string("allow-metric-labels-manifest"),
    },
    flags,
    reportedVersion: reportedVersion(flags.string("version")),
    qps: flags.number("kube-api-qps") || GO_CLIENT.qps,
    burst: flags.number("kube-api-burst") || GO_CLIENT.burst,
    useServiceAccountCredentials: flags.bool("use-service-account-credentials"),
    controllers,
    controllerEntries: canonicalEntries(entries),
    controllerGroups: assignGroups(flags.strings("controller-groups"), {
      enabled: CONTROLLERS.map(({ name }) => name).filter((name) => controllers.has(name)),
      processors: navigator.hardwareConcurrency,
    }),
    unhealthyWhenGroupDown: flags.bool("unhealthy-when-group-down"),
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
    controllerOptions: controllerOptions(flags, gates),
  };
  const objections = [...gateObjections, ...optionObjections(flags, options)];
  if (objections.length > 0) {
    throw new FlagError(objections.length === 1 ? objections[0] : `[${objections.join(", ")}]`);
  }
  return options;
}

function controllerOptions(flags: Flags, gates: FeatureGates): ManagerOptions["controllerOptions"] {
  return {
    concurrentDeploymentSyncs: flags.number("concurrent-deployment-syncs"),
    concurrentReplicaSetSyncs: flags.number("concurrent-replicaset-syncs"),
    concurrentReplicationControllerSyncs: flags.number("concurrent-rc-syncs"),
    concurrentStatefulSetSyncs: flags.number("concurrent-statefulset-syncs"),
    concurrentDaemonSetSyncs: flags.number("concurrent-daemonset-syncs"),
    statefulSetMaxUnavailable: gates.all.some(({ name, enabled }) => enabled && name === "MaxUnavailableStatefulSet"),
    concurrentJobSyncs: flags.number("concurrent-job-syncs"),
    concurrentCronJobSyncs: flags.number("concurrent-cron-job-syncs"),
    concurrentTtlAfterFinishedSyncs: flags.number("concurrent-ttl-after-finished-syncs"),
    concurrentNamespaceSyncs: flags.number("concurrent-namespace-syncs"),
    terminatedPodGcThreshold: flags.number("terminated-pod-gc-threshold"),
    concurrentGcSyncs: flags.number("concurrent-gc-syncs"),
    enableGarbageCollector: flags.bool("enable-garbage-collector"),
    concurrentResourceQuotaSyncs: flags.number("concurrent-resource-quota-syncs"),
    resourceQuotaSyncPeriodMs: flags.durationMs("resource-quota-sync-period"),
    concurrentHorizontalPodAutoscalerSyncs: flags.number("concurrent-horizontal-pod-autoscaler-syncs"),
    horizontalPodAutoscalerSyncPeriodMs: flags.durationMs("horizontal-pod-autoscaler-sync-period"),
    horizontalPodAutoscaler: {
      downscaleStabilizationMs: flags.durationMs("horizontal-pod-autoscaler-downscale-stabilization"),
      tolerance: flags.number("horizontal-pod-autoscaler-tolerance"),
      cpuInitializationMs: flags.durationMs("horizontal-pod-autoscaler-cpu-initialization-period"),
      initialReadinessMs: flags.durationMs("horizontal-pod-autoscaler-initial-readiness-delay"),
      scalesToZero: gates.all.some(({ name, enabled }) => enabled && name === "HPAScaleToZero"),
    },
    schedulesGangs: gates.all.some(({ name, enabled }) => enabled && name === "WorkloadWithJob"),
    disabledGates: new Set(gates.all.filter(({ enabled }) => !enabled).map(({ name }) => name)),
    namespaceSyncPeriodMs: flags.durationMs("namespace-sync-period"),
  };
}

/** Of `--version=vX.Y.Z-MORE`: who builds a version of their own may say so. */
function reportedVersion(flag: string): string {
  if (!flag.startsWith("v")) return KUBERNETES_VERSION;
  const [number] = /^v\d+\.\d+\.\d+/.exec(flag) ?? [];
  if (number === KUBERNETES_VERSION) return flag;
  throw new FlagError(
    `invalid argument ${JSON.stringify(flag)} for "--version" flag: ${versionObjection(flag, number)} ` +
      `(it takes true, false, raw or ${KUBERNETES_VERSION}-MORE)`,
  );
}

function versionObjection(flag: string, number: string | undefined): string {
  const quoted = JSON.stringify(flag);
  if (!/^v\d/.test(flag)) return `could not parse ${quoted} as version`;
  if (number === undefined) return `illegal version string ${quoted}`;
  return `version ${quoted} must match major/minor/patch of default version ${JSON.stringify(KUBERNETES_VERSION)}`;
}

/** The values of `metric,label`, with or without quotes around them. */
function allowedLabels(pairs: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlySet<string>> {
  const unquoted = (values: string) => values.replace(/^['"]|['"]$/g, "").split(",");
  return new Map([...pairs].map(([key, values]) => [key, new Set(unquoted(values))] as const));
}
