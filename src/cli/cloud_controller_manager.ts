import type { CloudProviderFactory } from "../cloud/mod.ts";
import { CLOUD_CONTROLLER_MANAGER } from "../manager/mod.ts";
import { managerCommand } from "./manager_command.ts";

/**
 * The `cloud-controller-manager` command, with kubeloop's providers and any others that it is given. To use your own
 * cloud, make a program of it:
 *
 * ```ts ignore
 * import { cloudControllerManager } from "kubeloop/cloud-controller-manager";
 * import { OWN_CLOUD } from "./own_cloud.ts";
 *
 * Deno.exit(await cloudControllerManager(Deno.args, { providers: [OWN_CLOUD] }));
 * ```
 *
 * @param args The command line, with upstream's flags; `--cloud-provider` names the provider.
 * @param options.providers Additional providers; they replace kubeloop's own of the same name.
 * @returns The exit code: 0 for help, version and a clean stop; 255 if the cloud provider cannot be opened; 1 for
 *   anything else that prevents the start, and for a lost lease.
 */
export function cloudControllerManager(
  args: readonly string[],
  { providers }: { readonly providers?: readonly CloudProviderFactory[] } = {},
): Promise<number> {
  return managerCommand(CLOUD_CONTROLLER_MANAGER, args, { providers });
}
