import { MANAGER_FLAGS } from "./flag_table.ts";
import { type FlagDefinition, Flags } from "./flags.ts";

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
    default: ["auto"],
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

/** The flags of `kube-controller-manager`: upstream's and ours. */
export function managerFlags(args: readonly string[]): Flags {
  return new Flags([...MANAGER_FLAGS, ...OWN_FLAGS], args.map((arg) => arg === "-h" ? "--help" : arg));
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
