import { KUBERNETES_VERSION, VERSION } from "../base/mod.ts";
import { kubeControllerManager } from "./kube_controller_manager.ts";

export { invokedAs } from "./invoked_as.ts";

const USAGE = `kubeloop: Kubernetes controllers for Deno

Usage:
  kubeloop dev                        run all controllers against an embedded API server
  kubeloop kube-controller-manager    run them against a cluster; takes upstream's flags
  kubeloop version                    print the version
  kubeloop help                       print this

A first argument that is a flag means kube-controller-manager, as does an executable of that name.
`;

/**
 * Runs the command that `args` name.
 *
 * @param program What the executable is called; `kube-controller-manager` makes it that command.
 * @returns The exit code.
 */
export async function runCommand(program: string, args: readonly string[]): Promise<number> {
  if (/(^|\/)kube-controller-manager$/.test(program) || args[0]?.startsWith("--") || args[0] === "-v") {
    return await kubeControllerManager(args[0] === "kube-controller-manager" ? args.slice(1) : args);
  }
  const [command, ...rest] = args;
  switch (command) {
    case "kube-controller-manager":
      return await kubeControllerManager(rest);
    case "dev": {
      // The manager on a control-plane node need not load the embedded API server.
      const { dev } = await import("./dev.ts");
      return await dev(rest);
    }
    case "version":
      return print(Deno.stdout, `kubeloop ${VERSION} (Kubernetes ${KUBERNETES_VERSION})\n`, 0);
    case "help":
    case "-h":
    case undefined:
      return print(Deno.stdout, USAGE, 0);
    default:
      return print(Deno.stderr, `Error: unknown command ${JSON.stringify(command)} for "kubeloop"\n\n${USAGE}`, 1);
  }
}

function print(stream: { writeSync(bytes: Uint8Array): number }, text: string, code: number): number {
  stream.writeSync(new TextEncoder().encode(text));
  return code;
}
