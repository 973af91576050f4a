import { cloudControllerManager } from "./cloud_controller_manager.ts";
import { kubeControllerManager } from "./kube_controller_manager.ts";
import { printLine, refuse } from "./output.ts";
import { versionText } from "./version.ts";

export { invokedAs } from "./invoked_as.ts";

const USAGE = `kubeloop: Kubernetes controllers for Deno

Usage:
  kubeloop dev                        run a whole cluster in this process, to experiment with
  kubeloop apiserver                  run only its API server, for tests in any language
  kubeloop kube-controller-manager    run the controllers against a cluster, with upstream's flags
  kubeloop cloud-controller-manager   run the controllers that talk to a cloud, with upstream's flags
  kubeloop why TYPE/NAME              explain why an object is as it is: who wrote it, and why
  kubeloop explain TYPE/NAME          explain what blocks the deletion of an object
  kubeloop version                    print the version
  kubeloop help                       print this help, like -h and --help

Each command has its own --help. If the first argument is any other flag, or the executable has that name,
kube-controller-manager runs.`;

/** Names of upstream's programs under which this one can be called. */
const PROGRAM = /(?:^|\/)(kube|cloud)-controller-manager$/;

/**
 * Runs the command that `args` name.
 *
 * @param program The executable's name; the name of one of upstream's managers selects that command.
 * @returns The exit code.
 */
export async function runCommand(program: string, args: readonly string[]): Promise<number> {
  const [, manager] = PROGRAM.exec(program) ?? [];
  // An image contains the executable once, under both programs' names.
  if (args[0] === "cloud-controller-manager") return await cloudControllerManager(args.slice(1));
  if (manager === "cloud") return await cloudControllerManager(args);
  const isForManager = args[0]?.startsWith("-") && !["-h", "--help"].includes(args[0]);
  if (manager === "kube" || isForManager) {
    return await kubeControllerManager(args[0] === "kube-controller-manager" ? args.slice(1) : args);
  }
  const [command, ...rest] = args;
  switch (command) {
    case "kube-controller-manager":
      return await kubeControllerManager(rest);
    case "dev": {
      // A manager on a control-plane node must not load the embedded API server.
      const { dev } = await import("./dev/command.ts");
      return await dev(rest);
    }
    case "apiserver": {
      const { apiserver } = await import("./apiserver.ts");
      return await apiserver(rest);
    }
    case "why": {
      const { whyCommand } = await import("./why/command.ts");
      return await whyCommand(rest);
    }
    case "explain": {
      const { explainCommand } = await import("./explain/command.ts");
      return await explainCommand(rest);
    }
    case "version":
      printLine(versionText());
      return 0;
    case "help":
    case "-h":
    case "--help":
    case undefined:
      printLine(USAGE);
      return 0;
    default:
      return refuse(`unknown command ${JSON.stringify(command)} for "kubeloop"`, USAGE);
  }
}
