import { errorText, type World } from "../base/mod.ts";
import { type ClientConfig, ConfigError, inClusterConfig, loadClientConfig } from "../client/mod.ts";
import type { ManagerOptions } from "../manager/mod.ts";
import { checkCredentials } from "./credential_checks.ts";
import { trustAuthorityOf } from "./trusted_authorities.ts";

/**
 * The configuration from `--kubeconfig` and `--master`, or from the pod's environment.
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

/** The kubeconfig for asking the API server about others; empty for the pod's environment. */
export interface Delegation {
  /** Its name in error messages. */
  readonly what: "authentication" | "authorization";
  readonly kubeconfig: string;
}

/**
 * The configuration for asking the API server about others.
 *
 * @returns `undefined` if there is neither a kubeconfig nor a pod environment.
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

/** Checks that `config` can be used for connections, then returns it. */
async function checked(world: World, config: ClientConfig): Promise<ClientConfig> {
  await checkCredentials(world.files, config);
  trustAuthorityOf(config);
  return config;
}
