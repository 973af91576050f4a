import type { FlagDefinition } from "../../manager/mod.ts";
import { SERVER_FLAGS, SERVER_FLAGS_USAGE } from "../server_flags.ts";

/** The flags of `kubeloop dev`. */
export const DEV_FLAGS: readonly FlagDefinition[] = [
  ...SERVER_FLAGS,
  { name: "apply", type: "strings", default: [], group: "dev" },
  { name: "cloud", type: "bool", default: false, group: "dev" },
  { name: "controllers", type: "strings", default: ["*"], group: "dev" },
  { name: "namespace", type: "string", default: "default", group: "dev" },
  { name: "nodes", type: "int", default: 3, group: "dev" },
  { name: "once", type: "bool", default: false, group: "dev" },
  { name: "scheduler", type: "bool", default: false, group: "dev" },
  { name: "server", type: "string", default: "", group: "dev" },
  { name: "timeout", type: "duration", default: "5m", group: "dev" },
  { name: "help", type: "bool", default: false, group: "dev" },
  { name: "v", type: "Level", default: 0, group: "dev" },
];

/** The text of `kubeloop dev --help`. */
export const DEV_USAGE =
  `Runs an API server in this process, with simulated nodes, a scheduler and every controller. No cluster needed.

Usage:
  kubeloop dev [flags]

Flags:
${SERVER_FLAGS_USAGE}
  --apply strings         manifests (YAML or JSON) to apply instead of the built-in example; - reads standard input
  --namespace string      namespace for manifests that name none (default default)
  --controllers strings   controllers to run: *, name or -name (default *)
  --cloud                 also simulate a cloud (see below)
  --nodes int             number of simulated nodes (default 3)
  --server string         simulate nodes for the API server at this URL, and volumes for its storage classes with
                          provisioner storage.kubeloop.dev, and run nothing else; credentials come from --kubeconfig,
                          or from where kubectl finds them
  --scheduler             with --server: also run the scheduler, if the cluster has none
  --once                  exit as soon as everything applied is ready
  --timeout duration      with --once: fail after this long, naming what is not ready; 0s waits forever (default 5m0s)
  -v int                  log verbosity; 0 prints warnings and errors only (default 0)

With --cloud:
  Nodes get provider IDs, addresses, zones and routes, and Services of type LoadBalancer get addresses of 203.0.113.0/24.
  Nothing answers at these addresses: there are no machines, and pods are simulated.
  With --server, the cluster must have no cloud-controller-manager of its own.

  kubectl annotate node node-1 kubeloop.dev/machine=stopped    shut the machine down; the Node becomes NotReady
  kubectl annotate node node-1 kubeloop.dev/machine-           start it again
  kubectl annotate node node-1 kubeloop.dev/machine=removed    remove the machine; the Node is deleted once it is NotReady
  kubectl delete node node-1                                   delete only the Node; the machine stays

  Annotations of a Service make its load balancer slow or fail, one entry for each try:
  kubeloop.dev/load-balancer="30s,fail:quota exceeded,ok"      on each create or update, in turn; "never" hangs
  kubeloop.dev/delete-load-balancer=fail                       when it is removed`;
