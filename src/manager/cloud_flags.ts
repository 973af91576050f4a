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
  "cloud-provider": "Which cloud there is; required. An unknown name is answered with those that are known",
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
      usage: `Which webhooks are served: *, NAME or -NAME; ${NOTHING_HOSTED}`,
    },
    ...SERVING.map((row) => ({ ...row, group: "webhook serving" })),
  ];
  return rows.map((row) => ({ ...row, isIdle: true }));
}

const SERVING: readonly Pick<FlagDefinition, "name" | "type" | "default" | "usage">[] = [
  { name: "webhook-bind-address", type: "ip", default: "0.0.0.0", usage: "Address that webhooks are served on" },
  { name: "webhook-cert-dir", type: "string", default: "", usage: "Folder of the webhooks' certificate" },
  { name: "webhook-disable-http2-serving", type: "bool", default: false, usage: "Serve webhooks by HTTP/1.1 only" },
  {
    name: "webhook-secure-port",
    type: "int",
    default: 10260,
    usage: "Port that webhooks are served on, another one than --secure-port; 0 for none",
  },
  { name: "webhook-tls-cert-file", type: "string", default: "", usage: "The webhooks' certificate" },
  { name: "webhook-tls-cipher-suites", type: "strings", default: [], usage: "Cipher suites of TLS 1.2 for webhooks" },
  {
    name: "webhook-tls-curve-preferences",
    type: "int32Slice",
    default: [],
    usage: "Groups for the webhooks' key exchange by number",
  },
  { name: "webhook-tls-min-version", type: "string", default: "", usage: "Oldest version of TLS for webhooks" },
  { name: "webhook-tls-private-key-file", type: "string", default: "", usage: "Key of --webhook-tls-cert-file" },
  {
    name: "webhook-tls-sni-cert-key",
    type: "namedCertKey",
    default: [],
    usage: "CERTFILE,KEYFILE or CERTFILE,KEYFILE:NAME,NAME for clients that ask for those names; can be repeated",
  },
];
