import type { FlagType } from "./flag_types.ts";
import type { FlagDefinition } from "./flags.ts";

/** Whether a flag has no effect, or is hidden from `--help`. */
type Lack = "idle" | "hidden";
type Row = readonly [name: string, type: FlagType, standard: unknown, usage: string, lack?: Lack];

/** Names that differ between the programs that run controllers. */
export interface ProcessNames {
  readonly lease: string;
  readonly securePort: number;
}

/**
 * The flags of a program that runs controllers, besides those of the controllers. Upstream:
 * `cmd/kube-controller-manager/app/options`, `k8s.io/controller-manager/options`.
 */
export function processFlags({ lease, securePort }: ProcessNames): readonly FlagDefinition[] {
  const sections: Readonly<Record<string, readonly Row[]>> = {
    debugging: [
      ["contention-profiling", "bool", false, "Profile what blocks, where profiling is on", "idle"],
      ["profiling", "bool", true, "Serve /debug/pprof/ and /debug/flags/"],
    ],
    "leader-migration": [
      [
        "enable-leader-migration",
        "bool",
        false,
        "Hold some controllers' lead by a lease of their own, while they move to another manager",
      ],
      [
        "leader-migration-config",
        "string",
        "",
        "File that says which controllers move (LeaderMigrationConfiguration); a standard one if empty",
      ],
    ],
    generic: [
      ["allow-untagged-cloud", "bool", false, "", "hidden"],
      ["node-sync-period", "duration", "0s", "", "hidden"],
      ["cloud-config", "string", "", "The cloud provider's configuration file", "idle"],
      ["cloud-provider", "string", "", "Who provides the cloud: external, or nobody", "idle"],
      ["cluster-name", "string", "kubernetes", "What the cluster is called", "idle"],
      ["configure-cloud-routes", "bool", true, "Have the cloud provider route the nodes' ranges", "idle"],
      ["controller-shutdown-timeout", "duration", "10s", "How long controllers may take to stop; 0 for ever"],
      ["controller-start-interval", "duration", "0s", "Wait between the starts of controllers"],
      [
        "controllers",
        "strings",
        ["*"],
        "Which controllers run: * for all that are on by default, NAME, or -NAME for one that is off",
      ],
      ["emulated-version", "strings", [], "Minor version whose feature gates count: 1.33 to 1.36"],
      ["external-cloud-volume-plugin", "string", "", "Volume plugin for --cloud-provider=external", "idle"],
      [
        "feature-gates",
        "colonSeparatedMultimapStringString",
        {},
        "Name=true or Name=false each; kubernetes_feature_enabled of /metrics lists the names",
      ],
      ["kube-api-burst", "int32", 30, "How many requests may be sent at once"],
      [
        "kube-api-content-type",
        "string",
        "application/vnd.kubernetes.protobuf",
        "Content type of requests; JSON is spoken here, whatever it says",
        "idle",
      ],
      ["kube-api-qps", "float32", 20, "How many requests a second may be sent"],
      ["leader-elect", "bool", true, "Run controllers in one process at a time, by a lease"],
      ["leader-elect-lease-duration", "duration", "15s", "How long others wait for a leader that says nothing"],
      [
        "leader-elect-renew-deadline",
        "duration",
        "10s",
        "How long a leader tries to renew its lease before it gives up; less than the duration",
      ],
      ["leader-elect-resource-lock", "string", "leases", "Kind of the lock: leases"],
      ["leader-elect-resource-name", "string", lease, "Name of the lease"],
      ["leader-elect-resource-namespace", "string", "kube-system", "Namespace of the lease"],
      ["leader-elect-retry-period", "duration", "2s", "Wait between tries to get or renew the lease"],
      ["min-compatibility-version", "strings", [], "Oldest minor version to be compatible with"],
      ["min-resync-period", "duration", "12h0m0s", "How often every object is looked at again, at the soonest"],
      ["route-reconciliation-period", "duration", "10s", "How often routes are compared with the cloud's", "idle"],
      ["use-service-account-credentials", "bool", false, "Each controller acts as a ServiceAccount of its own"],
    ],
    "secure serving": [
      ["bind-address", "ip", "0.0.0.0", "Address that --secure-port listens on; all if empty or unspecified"],
      [
        "cert-dir",
        "string",
        "",
        "Folder of the serving certificate where no files are named; one is made there if there is none",
      ],
      [
        "disable-http2-serving",
        "bool",
        false,
        "Serve HTTP/1.1 only, as is done here anyway; compiled with Deno 2.4, both are served",
        "idle",
      ],
      ["http2-max-streams-per-connection", "int", 0, "Streams of HTTP/2 in a connection", "idle"],
      ["permit-address-sharing", "bool", false, "Listen with SO_REUSEADDR, as is always done here"],
      ["permit-port-sharing", "bool", false, "Listen with SO_REUSEPORT, so that several processes share the port"],
      ["secure-port", "int", securePort, "Port for HTTPS with authentication and authorization; 0 for none"],
      [
        "tls-cert-file",
        "string",
        "",
        "Serving certificate, followed by its authorities'; made for this process if none is given",
      ],
      ["tls-cipher-suites", "strings", [], "Cipher suites of TLS 1.2 to offer"],
      [
        "tls-curve-preferences",
        "int32Slice",
        [],
        "Groups for the key exchange by number, such as 29 for X25519",
        "idle",
      ],
      [
        "tls-min-version",
        "string",
        "",
        "Oldest version of TLS: VersionTLS12 or VersionTLS13; older names ask for nothing",
      ],
      ["tls-private-key-file", "string", "", "Key of --tls-cert-file"],
      [
        "tls-sni-cert-key",
        "namedCertKey",
        [],
        "CERTFILE,KEYFILE or CERTFILE,KEYFILE:NAME,NAME for clients that ask for those names; can be repeated",
      ],
    ],
    authentication: [
      [
        "authentication-kubeconfig",
        "string",
        "",
        "Kubeconfig for asking who sends a token (TokenReview); if empty, such senders are anonymous",
      ],
      ["authentication-skip-lookup", "bool", false, "Do not look up authorities of clients in the cluster"],
      ["authentication-token-webhook-cache-ttl", "duration", "10s", "How long it is remembered whose a token is"],
      [
        "authentication-tolerate-lookup-failure",
        "bool",
        false,
        "Start even if authorities of clients cannot be looked up",
      ],
      ["client-ca-file", "string", "", "Authorities of client certificates"],
      [
        "requestheader-allowed-names",
        "strings",
        [],
        "Common names that a front proxy's certificate may have; any if empty",
      ],
      [
        "requestheader-client-ca-file",
        "string",
        "",
        "Authorities of front proxies, whose headers say for whom they ask",
      ],
      [
        "requestheader-extra-headers-prefix",
        "strings",
        ["x-remote-extra-"],
        "What begins the names of headers with more about a user",
      ],
      ["requestheader-group-headers", "strings", ["x-remote-group"], "Headers with a user's groups"],
      ["requestheader-uid-headers", "strings", [], "Headers with a user's UID"],
      ["requestheader-username-headers", "strings", ["x-remote-user"], "Headers with a user's name"],
    ],
    authorization: [
      [
        "authorization-always-allow-paths",
        "strings",
        ["/healthz", "/readyz", "/livez"],
        "Paths that anybody may ask for; * at the end for all below",
      ],
      [
        "authorization-kubeconfig",
        "string",
        "",
        "Kubeconfig for asking what somebody may (SubjectAccessReview); if empty, they may nothing",
      ],
      ["authorization-webhook-cache-authorized-ttl", "duration", "10s", "How long it is remembered that somebody may"],
      [
        "authorization-webhook-cache-unauthorized-ttl",
        "duration",
        "10s",
        "How long it is remembered that somebody may not",
      ],
    ],
    "serviceaccount-controller": [
      ["root-ca-file", "string", "", "Authorities published in every namespace; the kubeconfig's if empty"],
    ],
    metrics: [
      [
        "allow-metric-labels",
        "stringToString",
        {},
        "METRIC,LABEL='V1,V2': values that a label may show; others become unexpected",
      ],
      ["allow-metric-labels-manifest", "string", "", "File with more of them"],
      ["disabled-metrics", "strings", [], "Full names of metrics to leave out"],
      ["show-hidden-metrics-for-version", "string", "", "Show metrics that were hidden in this minor version: 1.35"],
    ],
    logs: [
      ["log-flush-frequency", "duration", "5s", "How often the log is written out, at the latest", "idle"],
      [
        "log-json-info-buffer-size",
        "quantity",
        "0",
        "Buffer for messages in JSON; needs gate LoggingAlphaOptions",
        "idle",
      ],
      [
        "log-json-split-stream",
        "bool",
        false,
        "Messages in JSON to stdout, errors to stderr; needs gate LoggingAlphaOptions",
        "idle",
      ],
      [
        "log-text-info-buffer-size",
        "quantity",
        "0",
        "Buffer for messages in text; needs gate LoggingAlphaOptions",
        "idle",
      ],
      [
        "log-text-split-stream",
        "bool",
        false,
        "Messages in text to stdout, errors to stderr; needs gate LoggingAlphaOptions",
        "idle",
      ],
      ["logging-format", "string", "text", "text or json"],
      ["v", "Level", 0, "How much is logged"],
      ["vmodule", "pattern=N,...", "", "NAME=LEVEL for loggers whose name, or its last part, matches; for text only"],
    ],
    misc: [
      ["kubeconfig", "string", "", "How to reach the API server, and as whom; the pod's own account if empty"],
      ["master", "string", "", "Address of the API server, in place of the kubeconfig's"],
    ],
    global: [
      ["help", "bool", false, "Print this"],
      ["version", "version", "false", "Print the version and end; raw for all of it, vX.Y.Z-MORE to report another"],
    ],
    kubeloop: [
      [
        "controller-groups",
        "strings",
        ["auto"],
        "Which controllers share a thread: auto, none (one thread for all), or NAME=CONTROLLER;CONTROLLER,...",
      ],
      [
        "memory-limit",
        "quantity",
        "0",
        "How much memory the process may use; near it a group starts anew instead of the process being killed; 0 for no limit",
      ],
      // On, because a leader without some of its controllers keeps the lease from processes that could run them all.
      // Whoever sees /healthz fail (the kubelet, systemd's watchdog) restarts it.
      ["unhealthy-when-group-down", "bool", true, "Fail /healthz once a group has failed too often and stays down"],
      ["warm-standby", "bool", true, "Fill caches while another process leads"],
    ],
  };
  return Object.entries(sections).flatMap(([group, rows]) =>
    rows.map(([name, type, standard, usage, lack]) => ({
      name,
      type,
      default: standard,
      group,
      usage,
      isHidden: lack === "hidden",
      isIdle: lack !== undefined,
    }))
  );
}
