import { errorText, type World } from "../base/mod.ts";
import { type ClientConfig, ConfigError, inClusterConfig, loadClientConfig } from "../client/mod.ts";
import type { ManagerOptions } from "../manager/mod.ts";
import { checkCredentials } from "./credential_checks.ts";
import { trustSystemRoots } from "./system_roots.ts";

/**
 * What `--kubeconfig` and `--master` come to, or the pod's own environment.
 *
 * @throws {ConfigError} If it cannot be used.
 */
export async function mainConfig(world: World, { kubeconfig, master }: ManagerOptions): Promise<ClientConfig> {
  const config = await loadClientConfig(world, { kubeconfig, master }).catch((error: Error) => {
    if (kubeconfig !== "" || master !== "" || !(error instanceof ConfigError)) throw error;
    throw new ConfigError(`${error.message}: give --kubeconfig or --master, or run in a pod`);
  });
  return await checked(world, config);
}

/** By which kubeconfig the API server is asked about others; empty for the pod's own environment. */
export interface Delegation {
  /** Names it in errors. */
  readonly what: "authentication" | "authorization";
  readonly kubeconfig: string;
}

/**
 * What a kubeconfig comes to by which the API server is asked about others.
 *
 * @returns `undefined` where there is neither.
 * @throws {ConfigError} If the kubeconfig cannot be used.
 */
export async function delegatedConfig(
  world: World,
  { what, kubeconfig }: Delegation,
): Promise<ClientConfig | undefined> {
  try {
    if (kubeconfig !== "") return await checked(world, await loadClientConfig(world, { kubeconfig }));
    return await inClusterConfig(world, {
      KUBERNETES_SERVICE_HOST: Deno.env.get("KUBERNETES_SERVICE_HOST"),
      KUBERNETES_SERVICE_PORT: Deno.env.get("KUBERNETES_SERVICE_PORT"),
    });
  } catch (error) {
    if (kubeconfig === "") return undefined;
    throw new ConfigError(`failed to get delegated ${what} kubeconfig: ${errorText(error)}`);
  }
}

/** `config`, once it is known that connections can be made with it. */
async function checked(world: World, config: ClientConfig): Promise<ClientConfig> {
  await checkCredentials(world.files, config);
  trustSystemRoots(config);
  return config;
}
