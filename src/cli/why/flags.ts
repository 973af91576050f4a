import { type FlagDefinition, FlagError, Flags } from "../../manager/mod.ts";
import { parseTarget, type Target } from "../explain/target.ts";
import { outputOf, spelledOut } from "../kubectl_flags.ts";

const FLAGS: readonly FlagDefinition[] = [
  { name: "certificate-authority", type: "string", default: "", group: "why" },
  { name: "context", type: "string", default: "", group: "why" },
  { name: "help", type: "bool", default: false, group: "why" },
  { name: "insecure-skip-tls-verify", type: "bool", default: false, group: "why" },
  { name: "kubeconfig", type: "string", default: "", group: "why" },
  { name: "namespace", type: "string", default: "", group: "why" },
  { name: "output", type: "string", default: "text", group: "why" },
  { name: "server", type: "string", default: "", group: "why" },
  { name: "v", type: "Level", default: 0, group: "why" },
];

/** The text of `kubeloop why --help`. */
export const WHY_USAGE =
  `Explains why an object is as it is: which syncs wrote it, what triggered them, and so on back to
somebody's edit, with times, errors and the next retry. It asks a running manager.

Usage:
  kubeloop why TYPE/NAME [flags]

Examples:
  kubeloop why pod/web-5d9c-x7k2p -n shop
  kubeloop why deploy web -n shop --output json
  kubeloop why ns/shop --server https://10.0.0.5:10257 --certificate-authority manager-ca.crt

Flags:
  -n, --namespace string           the object's namespace (default: the context's)
  -o, --output string              text or json (default text)
  --server string                  the secure port of the leading manager, or the API server of kubeloop dev (default: the
                                   kubeloop dev that the current context names, else the one that wrote
                                   .kubeloop/kubeconfig if it answers, else https://127.0.0.1:10257)
  --kubeconfig string              file with the credentials to use (client certificate or token), instead of $KUBECONFIG
                                   and ~/.kube/config
  --context string                 context to use instead of the current one
  --certificate-authority string   file with the authority of the manager's certificate
  --insecure-skip-tls-verify       do not verify the manager's certificate. This is the default for a manager at a loopback
                                   address if no authority is given, because its certificate is usually self-signed
  -v int                           log verbosity; 0 prints warnings and errors only (default 0)

You need the right to get the path /debug/why; the manager needs --authentication-kubeconfig and
--authorization-kubeconfig to check it. Exit code: 0 if there is an answer, else 1.`;

/** A parsed command line. */
export type WhyRequest =
  | { readonly type: "help" }
  | {
    readonly type: "why";
    readonly target: Target;
    /** As given; empty for the default, like all that follow. */
    readonly namespace: string;
    readonly output: "text" | "json";
    readonly server: string;
    readonly kubeconfig: string;
    readonly context: string;
    readonly certificateAuthority: string;
    readonly isInsecure: boolean;
    readonly verbosity: number;
  };

/** @throws {FlagError} If the command line is invalid. */
export function readWhyRequest(args: readonly string[]): WhyRequest {
  const flags = new Flags(FLAGS, spelledOut(args));
  if (flags.bool("help")) return { type: "help" };
  const server = flags.string("server").replace(/(?<!\/)\/+$/, "");
  if (server !== "" && (!/^https?:\/\/[^/]/.test(server) || !URL.canParse(server))) {
    const expected = "it must be a URL such as https://127.0.0.1:10257";
    throw new FlagError(`invalid argument ${JSON.stringify(server)} for "--server" flag: ${expected}`);
  }
  const certificateAuthority = flags.string("certificate-authority");
  const isInsecure = flags.bool("insecure-skip-tls-verify");
  if (isInsecure && certificateAuthority !== "") {
    throw new FlagError("--certificate-authority and --insecure-skip-tls-verify exclude each other");
  }
  return {
    type: "why",
    target: parseTarget(flags.positional),
    namespace: flags.string("namespace"),
    output: outputOf(flags),
    server,
    kubeconfig: flags.string("kubeconfig"),
    context: flags.string("context"),
    certificateAuthority,
    isInsecure,
    verbosity: flags.number("v"),
  };
}
