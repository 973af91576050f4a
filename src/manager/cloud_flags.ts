import type { FlagDefinition } from "./flags.ts";
import { processFlags } from "./process_flags.ts";

/** Flags that only have an effect with a cloud provider. */
const EFFECTIVE: ReadonlySet<string> = new Set([
  "allow-untagged-cloud",
  "cloud-config",
  "cloud-provider",
  "cluster-name",
]);
const USAGES: Readonly<Record<string, string>> = {
  "cloud-provider": "Cloud provider; required. An unknown name prints the known ones",
};
/** Only controllers of kube-controller-manager read these. */
const FOREIGN: ReadonlySet<string> = new Set(["root-ca-file"]);

const NOTHING_HOSTED = "webhooks are hosted by none of the providers in this version";

/**
 * The flags of cloud-controller-manager, besides those of its controllers. Upstream: `k8s.io/cloud-provider/options`.
 */
export function cloudFlags(): readonly FlagDefinition[] {
  const common = processFlags({ lease: "cloud-controller-manager", securePort: 10258 })
    .filter(({ name }) => !FOREIGN.has(name))
    .map((flag) => ({
      ...flag,
      usage: USAGES[flag.name] ?? flag.usage,
      isIdle: flag.isIdle && !EFFECTIVE.has(flag.name),
    }));
  return [...common, ...webhookFlags()];
}

function webhookFlags(): FlagDefinition[] {
  const rows: readonly Omit<FlagDefinition, "isIdle">[] = [
    {
      name: "webhooks",
      type: "strings",
      default: [],
      group: "webhook",
      usage: `Webhooks to serve: *, NAME or -NAME; ${NOTHING_HOSTED}`,
    },
    ...SERVING.map((row) => ({ ...row, group: "webhook serving" })),
  ];
  return rows.map((row) => ({ ...row, isIdle: true }));
}

const SERVING: readonly Pick<FlagDefinition, "name" | "type" | "default" | "usage">[] = [
  { name: "webhook-bind-address", type: "ip", default: "0.0.0.0", usage: "Address to serve webhooks on" },
  { name: "webhook-cert-dir", type: "string", default: "", usage: "Folder of the serving certificate for webhooks" },
  { name: "webhook-disable-http2-serving", type: "bool", default: false, usage: "Do not serve webhooks over HTTP/2" },
  {
    name: "webhook-secure-port",
    type: "int",
    default: 10260,
    usage: "Port to serve webhooks on; must differ from --secure-port, and 0 turns it off",
  },
  { name: "webhook-tls-cert-file", type: "string", default: "", usage: "Serving certificate for webhooks" },
  { name: "webhook-tls-cipher-suites", type: "strings", default: [], usage: "TLS 1.2 cipher suites for webhooks" },
  {
    name: "webhook-tls-curve-preferences",
    type: "int32Slice",
    default: [],
    usage: "Key exchange groups for webhooks, by number",
  },
  { name: "webhook-tls-min-version", type: "string", default: "", usage: "Oldest TLS version for webhooks" },
  {
    name: "webhook-tls-private-key-file",
    type: "string",
    default: "",
    usage: "Private key for --webhook-tls-cert-file",
  },
  {
    name: "webhook-tls-sni-cert-key",
    type: "namedCertKey",
    default: [],
    usage:
      "Certificate and key for clients that connect to one of the names: CERTFILE,KEYFILE or CERTFILE,KEYFILE:NAME,NAME; may be repeated",
  },
];
