import { isAbsolute, join, resolve } from "@std/path";
import type { World } from "../../base/mod.ts";
import { ConfigError, readFailure } from "./config_error.ts";
import type { ClientConfig } from "../client_config.ts";
import type { Environment } from "../environment.ts";
import { inClusterConfig } from "./in_cluster.ts";
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from "./kubeconfig.ts";
import { resolveKubeconfig, type ResolveOptions } from "./resolve.ts";

/** Where the configuration is. */
export interface LoadOptions extends ResolveOptions {
  /** `--kubeconfig`; only this file is read. */
  readonly kubeconfig?: string;
  /** For `KUBECONFIG`, `KUBERNETES_SERVICE_HOST` and the like; the process's own if absent. */
  readonly env?: Environment;
}

/**
 * Finds, reads and checks the configuration of a client.
 *
 * With the flags of a component, `kubeconfig` or `master`, be they empty: that file and no other, with `master` instead of
 * its server; if both are empty, the pod's service account. With neither, as kubectl: the files named by `KUBECONFIG` (those
 * that do not exist are passed over), or `~/.kube/config`, or the pod's service account.
 *
 * Upstream: `client-go/tools/clientcmd` (BuildConfigFromFlags; ClientConfigLoadingRules).
 *
 * @throws {ConfigError} If there is no configuration, or it cannot be used.
 */
export async function loadClientConfig(world: World, options: LoadOptions = {}): Promise<ClientConfig> {
  const { kubeconfig, context } = options;
  const master = options.master || undefined;
  const env = options.env ?? Deno.env.toObject();
  if (kubeconfig) return resolveKubeconfig(world, await readKubeconfig(world, kubeconfig), { context, master });
  if (master) return resolveKubeconfig(world, mergeKubeconfigs([]), { master });
  if (kubeconfig === undefined && options.master === undefined) return await loadAsKubectl(world, { context, env });
  world.log.warn("Neither --kubeconfig nor --master was specified. Using the inClusterConfig. This might not work.");
  const inCluster = await inClusterConfig(world, env);
  return inCluster ?? resolveKubeconfig(world, mergeKubeconfigs([]));
}

async function loadAsKubectl(
  world: World,
  { context, env }: { readonly context?: string; readonly env: Environment },
): Promise<ClientConfig> {
  const separator = Deno.build.os === "windows" ? ";" : ":";
  const listed = [...new Set((env.KUBECONFIG ?? "").split(separator).filter((path) => path !== ""))];
  const home = env.HOME ?? env.USERPROFILE;
  const paths = listed.length > 0 ? listed : home ? [join(home, ".kube", "config")] : [];
  const configs: Kubeconfig[] = [];
  for (const path of paths) {
    try {
      configs.push(await readKubeconfig(world, path));
    } catch (error) {
      if (!(error instanceof ConfigError && error.cause instanceof Deno.errors.NotFound)) throw error;
    }
  }
  const inCluster = configs.length === 0 ? await inClusterConfig(world, env) : undefined;
  return inCluster ?? resolveKubeconfig(world, mergeKubeconfigs(configs), { context });
}

/**
 * Reads and parses one kubeconfig file.
 *
 * @throws {ConfigError} If it cannot be read, with the system's error as its cause, or cannot be parsed.
 */
export async function readKubeconfig(world: World, path: string): Promise<Kubeconfig> {
  let text: string;
  try {
    text = await world.files.readText(path);
  } catch (cause) {
    throw new ConfigError(readFailure(path, cause), { cause });
  }
  return parseKubeconfig(text, isAbsolute(path) ? path : resolve(path));
}
