import type { FlagDefinition } from "../../manager/mod.ts";
import { SERVER_FLAGS, SERVER_FLAGS_USAGE } from "../server_flags.ts";

/** The flags of `kubeloop dev`. */
export const DEV_FLAGS: readonly FlagDefinition[] = [
  ...SERVER_FLAGS,
  { name: "apply", type: "strings", default: [], group: "dev" },
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

/** What `kubeloop dev --help` prints. */
export const DEV_USAGE =
  `Runs an API server in this process, with simulated nodes, a scheduler and every controller. No cluster needed.

Usage:
  kubeloop dev [flags]

Flags:
${SERVER_FLAGS_USAGE}
  --apply strings         manifests (YAML or JSON) to apply instead of the built-in example; - reads standard input
  --namespace string      namespace for manifests that name none (default default)
  --controllers strings   controllers to run: *, name or -name (default *)
  --nodes int             number of simulated nodes (default 3)
  --server string         simulate nodes for the API server at this URL, and volumes for its storage classes with
                          provisioner storage.kubeloop.dev, and run nothing else; credentials come from --kubeconfig,
                          or from where kubectl finds them
  --scheduler             with --server: run the scheduler too, if the cluster has none
  --once                  stop as soon as everything applied is ready
  --timeout duration      with --once: fail after this long, naming what is not ready; 0s waits for ever (default 5m0s)
  -v int                  log verbosity; 0 prints warnings and errors only (default 0)`;
