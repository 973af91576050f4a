import { isAbsolute, join, resolve } from "@std/path";
import type { World } from "../../base/mod.ts";
import { ConfigError, NoConfigurationError, readFailure } from "./config_error.ts";
import type { ClientConfig } from "../client_config.ts";
import type { Environment } from "../environment.ts";
import { inClusterConfig } from "./in_cluster.ts";
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from "./kubeconfig.ts";
import { resolveKubeconfig, type ResolveOptions } from "./resolve.ts";

/** Where the configuration is. */
export interface LoadOptions extends ResolveOptions {
  /** `--kubeconfig`; only this file is read. */
  readonly kubeconfig?: string;
  /** kubectl's `--server`: like `master`, but credentials are looked up as kubectl does. */
  readonly server?: string;
  /** Provides `KUBECONFIG`, `KUBERNETES_SERVICE_HOST` and so on; by default the process's environment. */
  readonly env?: Environment;
}

/**
 * Finds, reads and validates a client's configuration.
 *
 * If a component's flags `kubeconfig` or `master` are given, even empty: that file only, with `master` in place of its
 * server; if both are empty, the pod's service account. Otherwise like kubectl: the files named by `KUBECONFIG`
 * (missing ones are skipped), or `~/.kube/config`, or the pod's service account.
 *
 * Upstream: `client-go/tools/clientcmd` (BuildConfigFromFlags; ClientConfigLoadingRules).
 *
 * @throws {ConfigError} If there is no configuration, or it cannot be used.
 */
export async function loadClientConfig(world: World, options: LoadOptions = {}): Promise<ClientConfig> {
  const { kubeconfig, context } = options;
  const master = options.master || options.server || undefined;
  const env = options.env ?? Deno.env.toObject();
  if (kubeconfig) return resolveKubeconfig(world, await readKubeconfig(world, kubeconfig), { context, master });
  if (kubeconfig === undefined && options.master === undefined) {
    return await loadAsKubectl(world, { context, master, env });
  }
  if (master) return resolveKubeconfig(world, mergeKubeconfigs([]), { master });
  world.log.warn("Neither --kubeconfig nor --master was specified. Using the inClusterConfig. This might not work.");
  const inCluster = await inClusterConfig(world, env);
  return inCluster ?? resolveKubeconfig(world, mergeKubeconfigs([]));
}

async function loadAsKubectl(
  world: World,
  { context, master, env }: ResolveOptions & { readonly env: Environment },
): Promise<ClientConfig> {
  const { configs, paths } = await kubectlConfigs(world, env);
  const inCluster = configs.length === 0 && !master ? await inClusterConfig(world, env) : undefined;
  if (inCluster) return inCluster;
  if (configs.length === 0 && !master) throw new NoConfigurationError(`: ${lookedFor(env, paths)}`);
  const merged = mergeKubeconfigs(configs);
  return await resolveKubeconfig(world, merged, { context, master }).catch((error) => {
    if (!(error instanceof NoConfigurationError)) throw error;
    throw new NoConfigurationError(`: ${paths.join(" and ")} names no current context with a cluster`);
  });
}

/** The merged kubeconfigs that kubectl reads; empty if there are none. */
export async function readKubectlConfig(world: World, env: Environment): Promise<Kubeconfig> {
  return mergeKubeconfigs((await kubectlConfigs(world, env)).configs);
}

async function kubectlConfigs(
  world: World,
  env: Environment,
): Promise<{ readonly configs: readonly Kubeconfig[]; readonly paths: readonly string[] }> {
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
  return { configs, paths };
}

/** Where a kubeconfig was searched for. */
function lookedFor({ KUBECONFIG }: Environment, paths: readonly string[]): string {
  if (KUBECONFIG) return `$KUBECONFIG is ${KUBECONFIG}, and there is no such file`;
  return `$KUBECONFIG is not set${paths.map((path) => `, and there is no ${path}`).join("")}`;
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
