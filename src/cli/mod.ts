import { KUBERNETES_VERSION, VERSION } from "../base/mod.ts";
import { kubeControllerManager } from "./kube_controller_manager.ts";
import { printLine, refuse } from "./output.ts";

export { invokedAs } from "./invoked_as.ts";

const USAGE = `kubeloop: Kubernetes controllers for Deno

Usage:
  kubeloop dev                        a whole cluster in this process, to try things out
  kubeloop apiserver                  its API server alone, for tests in any language
  kubeloop kube-controller-manager    run them against a cluster; takes upstream's flags
  kubeloop version                    print the version
  kubeloop help                       print this

A first argument that is a flag means kube-controller-manager, as does an executable of that name.`;

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
      const { dev } = await import("./dev/command.ts");
      return await dev(rest);
    }
    case "apiserver": {
      const { apiserver } = await import("./apiserver.ts");
      return await apiserver(rest);
    }
    case "version":
      printLine(`kubeloop ${VERSION} (Kubernetes ${KUBERNETES_VERSION})`);
      return 0;
    case "help":
    case "-h":
    case undefined:
      printLine(USAGE);
      return 0;
    default:
      return refuse(`unknown command ${JSON.stringify(command)} for "kubeloop"`, USAGE);
  }
}
