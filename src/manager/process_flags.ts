import { EMULATED_VERSIONS } from "./feature_gates.ts";
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
      ["contention-profiling", "bool", false, "Profile blocking operations, if profiling is on", "idle"],
      ["profiling", "bool", true, "Serve /debug/pprof/ and /debug/flags/"],
    ],
    "leader-migration": [
      [
        "enable-leader-migration",
        "bool",
        false,
        "Run controllers that are moving to another manager under a second lease",
      ],
      [
        "leader-migration-config",
        "string",
        "",
        "LeaderMigrationConfiguration file that lists the controllers that move; a default list if empty",
      ],
    ],
    generic: [
      ["allow-untagged-cloud", "bool", false, "", "hidden"],
      ["node-sync-period", "duration", "0s", "", "hidden"],
      ["cloud-config", "string", "", "The cloud provider's configuration file", "idle"],
      ["cloud-provider", "string", "", "Cloud provider: external, or empty for none", "idle"],
      ["cluster-name", "string", "kubernetes", "Name of the cluster", "idle"],
      ["configure-cloud-routes", "bool", true, "Create a route in the cloud for each node's range", "idle"],
      ["controller-shutdown-timeout", "duration", "10s", "How long to wait for controllers to stop; 0 waits forever"],
      ["controller-start-interval", "duration", "0s", "Pause between starting one controller and the next"],
      [
        "controllers",
        "strings",
        ["*"],
        "Controllers to run: * for all that are on by default, NAME to add one, -NAME to leave one out",
      ],
      [
        "emulated-version",
        "strings",
        [],
        `Minor version whose feature gates and defaults to use: ${EMULATED_VERSIONS}`,
      ],
      ["external-cloud-volume-plugin", "string", "", "Volume plugin to use with --cloud-provider=external", "idle"],
      [
        "feature-gates",
        "colonSeparatedMultimapStringString",
        {},
        "Name=true or Name=false, separated by commas; the metric kubernetes_feature_enabled lists all names",
      ],
      ["kube-api-burst", "int32", 30, "Number of requests to the API server that may be sent in a burst"],
      [
        "kube-api-content-type",
        "string",
        "application/vnd.kubernetes.protobuf",
        "Content type of requests to the API server; kubeloop always uses JSON",
        "idle",
      ],
      ["kube-api-qps", "float32", 20, "Requests per second to the API server"],
      ["leader-elect", "bool", true, "Elect a leader with a lease, so that only one process runs the controllers"],
      [
        "leader-elect-lease-duration",
        "duration",
        "15s",
        "How long other processes wait for a silent leader before they take over",
      ],
      [
        "leader-elect-renew-deadline",
        "duration",
        "10s",
        "How long the leader keeps trying to renew its lease before it gives up; must be less than the lease duration",
      ],
      ["leader-elect-resource-lock", "string", "leases", "Kind of the lock: leases"],
      ["leader-elect-resource-name", "string", lease, "Name of the lease"],
      ["leader-elect-resource-namespace", "string", "kube-system", "Namespace of the lease"],
      ["leader-elect-retry-period", "duration", "2s", "Pause between attempts to acquire or renew the lease"],
      ["min-compatibility-version", "strings", [], "Oldest minor version to stay compatible with"],
      [
        "min-resync-period",
        "duration",
        "12h0m0s",
        "Shortest interval between resyncs of all objects; the actual one is up to twice as long",
      ],
      [
        "route-reconciliation-period",
        "duration",
        "10s",
        "How often to compare the nodes' routes with the cloud's",
        "idle",
      ],
      [
        "use-service-account-credentials",
        "bool",
        false,
        "Give each controller the credentials of its own service account",
      ],
    ],
    "secure serving": [
      ["bind-address", "ip", "0.0.0.0", "Address for --secure-port; empty, 0.0.0.0 and :: mean all addresses"],
      [
        "cert-dir",
        "string",
        "",
        "Folder of the serving certificate if --tls-cert-file is empty; a self-signed one is created there if there is none",
      ],
      [
        "disable-http2-serving",
        "bool",
        false,
        "Do not serve HTTP/2; kubeloop serves it only if compiled with Deno 2.4",
        "idle",
      ],
      ["http2-max-streams-per-connection", "int", 0, "Largest number of HTTP/2 streams per connection", "idle"],
      ["permit-address-sharing", "bool", false, "Listen with SO_REUSEADDR, which kubeloop always does"],
      ["permit-port-sharing", "bool", false, "Listen with SO_REUSEPORT, so that several processes can share the port"],
      ["secure-port", "int", securePort, "Port for HTTPS with authentication and authorization; 0 turns it off"],
      [
        "tls-cert-file",
        "string",
        "",
        "Serving certificate, followed by intermediate ones; if empty, a self-signed one is generated",
      ],
      ["tls-cipher-suites", "strings", [], "TLS 1.2 cipher suites to offer"],
      [
        "tls-curve-preferences",
        "int32Slice",
        [],
        "Key exchange groups by number, such as 29 for X25519",
        "idle",
      ],
      [
        "tls-min-version",
        "string",
        "",
        "Oldest TLS version: VersionTLS12 or VersionTLS13; older versions have no effect",
      ],
      ["tls-private-key-file", "string", "", "Private key for --tls-cert-file"],
      [
        "tls-sni-cert-key",
        "namedCertKey",
        [],
        "Certificate and key for clients that connect to one of the names: CERTFILE,KEYFILE or CERTFILE,KEYFILE:NAME,NAME; may be repeated",
      ],
    ],
    authentication: [
      [
        "authentication-kubeconfig",
        "string",
        "",
        "Kubeconfig for verifying bearer tokens (TokenReview); if empty, requests with tokens are anonymous",
      ],
      ["authentication-skip-lookup", "bool", false, "Do not read client certificate authorities from the cluster"],
      ["authentication-token-webhook-cache-ttl", "duration", "10s", "How long to cache a verified token"],
      [
        "authentication-tolerate-lookup-failure",
        "bool",
        false,
        "Start even if client certificate authorities cannot be read from the cluster",
      ],
      ["client-ca-file", "string", "", "Certificate authorities that clients' certificates must be signed by"],
      [
        "requestheader-allowed-names",
        "strings",
        [],
        "Common names allowed in a front proxy's certificate; all if empty",
      ],
      [
        "requestheader-client-ca-file",
        "string",
        "",
        "Certificate authorities of front proxies, which name the user in headers",
      ],
      [
        "requestheader-extra-headers-prefix",
        "strings",
        ["x-remote-extra-"],
        "Prefixes of headers with extra information about the user",
      ],
      ["requestheader-group-headers", "strings", ["x-remote-group"], "Headers with the user's groups"],
      ["requestheader-uid-headers", "strings", [], "Headers with the user's UID"],
      ["requestheader-username-headers", "strings", ["x-remote-user"], "Headers with the user's name"],
    ],
    authorization: [
      [
        "authorization-always-allow-paths",
        "strings",
        ["/healthz", "/readyz", "/livez"],
        "Paths that need no authorization; a * at the end includes everything below",
      ],
      [
        "authorization-kubeconfig",
        "string",
        "",
        "Kubeconfig for authorizing requests (SubjectAccessReview); if empty, only --authorization-always-allow-paths are served",
      ],
      ["authorization-webhook-cache-authorized-ttl", "duration", "10s", "How long to cache that a request was allowed"],
      [
        "authorization-webhook-cache-unauthorized-ttl",
        "duration",
        "10s",
        "How long to cache that a request was denied",
      ],
    ],
    "serviceaccount-controller": [
      ["root-ca-file", "string", "", "Certificate authority to publish in every namespace; the kubeconfig's if empty"],
    ],
    metrics: [
      [
        "allow-metric-labels",
        "stringToString",
        {},
        "METRIC,LABEL='V1,V2': allowed values of a metric's label; others are shown as unexpected",
      ],
      ["allow-metric-labels-manifest", "string", "", "File with more entries for --allow-metric-labels"],
      ["disabled-metrics", "strings", [], "Full names of metrics to turn off"],
      [
        "show-hidden-metrics-for-version",
        "string",
        "",
        "Show metrics that were hidden in the previous minor version: 1.35",
      ],
    ],
    logs: [
      ["log-flush-frequency", "duration", "5s", "Longest time before buffered log messages are written", "idle"],
      [
        "log-json-info-buffer-size",
        "quantity",
        "0",
        "Size of the buffer for JSON messages; needs the feature gate LoggingAlphaOptions",
        "idle",
      ],
      [
        "log-json-split-stream",
        "bool",
        false,
        "Write JSON errors to stderr and all else to stdout; needs the feature gate LoggingAlphaOptions",
        "idle",
      ],
      [
        "log-text-info-buffer-size",
        "quantity",
        "0",
        "Size of the buffer for text messages; needs the feature gate LoggingAlphaOptions",
        "idle",
      ],
      [
        "log-text-split-stream",
        "bool",
        false,
        "Write text errors to stderr and all else to stdout; needs the feature gate LoggingAlphaOptions",
        "idle",
      ],
      ["logging-format", "string", "text", "text or json"],
      ["v", "Level", 0, "Log verbosity"],
      [
        "vmodule",
        "pattern=N,...",
        "",
        "NAME=LEVEL,...: verbosity of loggers whose name, or its last part, matches; for text only",
      ],
    ],
    misc: [
      ["kubeconfig", "string", "", "Kubeconfig for the API server; if empty, the pod's service account is used"],
      ["master", "string", "", "Address of the API server, instead of the kubeconfig's"],
    ],
    global: [
      ["help", "bool", false, "Print this help"],
      [
        "version",
        "version",
        "false",
        "Print the version and exit; raw prints all details, vX.Y.Z-SUFFIX reports that version instead",
      ],
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
        "Memory limit of the process; close to it, the largest group of controllers is restarted; 0 for no limit",
      ],
      // On, because a leader without some of its controllers keeps the lease from processes that could run them all.
      // Whoever sees /healthz fail (the kubelet, systemd's watchdog) restarts it.
      [
        "unhealthy-when-group-down",
        "bool",
        true,
        "Fail /healthz once a group of controllers has failed too often and is no longer restarted",
      ],
      ["warm-standby", "bool", true, "Fill the caches while another process is the leader"],
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
