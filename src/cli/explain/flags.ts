import { type FlagDefinition, Flags } from "../../manager/mod.ts";
import { outputOf, spelledOut } from "../kubectl_flags.ts";
import { parseTarget, type Target } from "./target.ts";

const FLAGS: readonly FlagDefinition[] = [
  { name: "context", type: "string", default: "", group: "explain" },
  { name: "help", type: "bool", default: false, group: "explain" },
  { name: "kubeconfig", type: "string", default: "", group: "explain" },
  { name: "namespace", type: "string", default: "", group: "explain" },
  { name: "output", type: "string", default: "text", group: "explain" },
  { name: "v", type: "Level", default: 0, group: "explain" },
];

/** The text of `kubeloop explain --help`. */
export const EXPLAIN_USAGE =
  `Explains what blocks the deletion of an object: finalizers and who removes them, what remains in a
namespace, dependents, pods and nodes, APIs that do not answer. It only reads.

Usage:
  kubeloop explain TYPE/NAME [flags]

Examples:
  kubeloop explain namespace/shop
  kubeloop explain pvc/data -n shop
  kubeloop explain foos.example.com/one -n shop --output json

Flags:
  -n, --namespace string   the object's namespace (default: the context's)
  --kubeconfig string      file to use instead of $KUBECONFIG, ~/.kube/config or the pod's service account
  --context string         context to use instead of the current one
  -o, --output string      text or json (default text)
  -v int                   log verbosity; 0 prints warnings and errors only (default 0)

Exit code: 0 if there is an answer, 1 if the object does not exist or cannot be read.`;

/** A parsed command line. */
export type ExplainRequest =
  | { readonly type: "help" }
  | {
    readonly type: "explain";
    readonly target: Target;
    /** As given; empty for the default. */
    readonly namespace: string;
    readonly kubeconfig: string;
    readonly context: string;
    readonly output: "text" | "json";
    readonly verbosity: number;
  };

/** @throws {FlagError} If the command line is invalid. */
export function readRequest(args: readonly string[]): ExplainRequest {
  const flags = new Flags(FLAGS, spelledOut(args));
  if (flags.bool("help")) return { type: "help" };
  return {
    type: "explain",
    target: parseTarget(flags.positional),
    namespace: flags.string("namespace"),
    kubeconfig: flags.string("kubeconfig"),
    context: flags.string("context"),
    output: outputOf(flags),
    verbosity: flags.number("v"),
  };
}
