import { KUBE_CONTROLLER_MANAGER } from "../manager/mod.ts";
import { type GroupThreads, managerCommand } from "./manager_command.ts";

/**
 * The `kube-controller-manager` command.
 *
 * @param threads How to start threads for groups of controllers: by default Web Workers; tests replace them.
 * @returns The exit code: 0 for help, version and a clean stop; 1 for anything that prevents the start, and for a lost
 *   lease.
 */
export function kubeControllerManager(args: readonly string[], threads?: GroupThreads): Promise<number> {
  return managerCommand(KUBE_CONTROLLER_MANAGER, args, { threads });
}
