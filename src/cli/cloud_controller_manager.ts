import { CLOUD_CONTROLLER_MANAGER } from "../manager/mod.ts";
import { managerCommand, type ManagerCommandOptions } from "./manager_command.ts";

/**
 * The `cloud-controller-manager` command, with kubeloop's providers and whatever others it is given.
 *
 * @returns The exit code: 0 for help, version and a clean stop; 255 if the cloud provider cannot be had; 1 for anything else that
 * keeps it from starting, and for a lost lease.
 */
export function cloudControllerManager(args: readonly string[], options?: ManagerCommandOptions): Promise<number> {
  return managerCommand(CLOUD_CONTROLLER_MANAGER, args, options);
}
