import { KUBE_CONTROLLER_MANAGER } from "../manager/mod.ts";
import { type GroupThreads, managerCommand } from "./manager_command.ts";

/**
 * The `kube-controller-manager` command.
 *
 * @param threads How groups of controllers get their threads: Web Workers, unless somebody wants to see them fail.
 * @returns The exit code: 0 for help, version and a clean stop; 1 for anything that keeps it from starting, and for a lost lease.
 */
export function kubeControllerManager(args: readonly string[], threads?: GroupThreads): Promise<number> {
  return managerCommand(KUBE_CONTROLLER_MANAGER, args, { threads });
}
