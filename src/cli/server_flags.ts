import type { FlagDefinition, Flags } from "../manager/mod.ts";

/** Flags of commands that serve an embedded API server. */
export const SERVER_FLAGS: readonly FlagDefinition[] = [
  { name: "authorization-mode", type: "string", default: "AlwaysAllow", group: "server" },
  { name: "data-dir", type: "string", default: "", group: "server" },
  { name: "feature-gates", type: "strings", default: [], group: "server" },
  { name: "kubeconfig", type: "string", default: ".kubeloop/kubeconfig", group: "server" },
  { name: "port", type: "int", default: 8001, group: "server" },
  { name: "tls", type: "bool", default: false, group: "server" },
];

/** These flags' part of a command's usage. */
export const SERVER_FLAGS_USAGE =
  `  --port int              port of the API server on 127.0.0.1; 0 picks a free one (default 8001)
  --tls                   serve https with a generated certificate authority and token; simulated nodes then join with
                          bootstrap tokens and certificates
  --kubeconfig string     where to write the kubeconfig for kubectl (default .kubeloop/kubeconfig)
  --data-dir string       keep objects in this directory instead of in memory
  --authorization-mode string
                          AlwaysAllow or RBAC (default AlwaysAllow)
  --feature-gates strings features of Kubernetes v1.36 to turn on or off, of API server and controllers alike:
                          Name=true,...`;

/** Converts a command's feature gates to a manager's flags. */
export function gateFlags(flags: Flags): string[] {
  const gates = flags.strings("feature-gates");
  return gates.length > 0 ? [`--feature-gates=${gates.join(",")}`] : [];
}
