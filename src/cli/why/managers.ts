import type { World } from "../../base/mod.ts";
import {
  type ClientConfig,
  type Environment,
  type Kubeconfig,
  loadClientConfig,
  NoConfigurationError,
  readKubeconfig,
  readKubectlConfig,
} from "../../client/mod.ts";
import { DEV_CONTEXT } from "../kubeconfig_claim.ts";
import type { WhyRequest } from "./flags.ts";

type Question = Extract<WhyRequest, { type: "why" }>;

/** Where `dev` and `apiserver` put the kubeconfig unless told otherwise. */
const DEV_KUBECONFIG = ".kubeloop/kubeconfig";
/** A manager on this machine. */
const DEFAULT_SERVER = "https://127.0.0.1:10257";

/**
 * How the managers that may answer are reached, in the order in which they are to be tried: where nothing says which, the `dev`
 * that the current context names, as it was chosen for kubectl too, or the one that was started in this folder.
 *
 * @throws {ConfigError} If a kubeconfig cannot be used.
 */
export async function managersFor(world: World, question: Question, env: Environment): Promise<ClientConfig[]> {
  const { server, kubeconfig, context } = question;
  if (server !== "") return [await managerAt(world, server, { question, env })];
  const chosen = kubeconfig === "" ? await readKubectlConfig(world, env) : await readKubeconfig(world, kubeconfig);
  if (isOfDev(chosen, context)) {
    return [await devAt(world, question, { kubeconfig: kubeconfig || undefined, env })];
  }
  const manager = await managerAt(world, DEFAULT_SERVER, { question, env });
  const isInFolder = kubeconfig === "" && context === "" && await isDevInFolder(world);
  return isInFolder ? [await devAt(world, question, { kubeconfig: DEV_KUBECONFIG, env }), manager] : [manager];
}

/** The server that a kubeconfig of `dev` names is trusted as that says. */
async function devAt(
  world: World,
  question: Question,
  found: { readonly kubeconfig?: string; readonly env: Environment },
): Promise<ClientConfig> {
  const config = await loadClientConfig(world, { ...found, context: question.context || undefined });
  return question.isInsecure || question.certificateAuthority !== "" ? withTrust(config, question) : config;
}

/** Whose certificate is nobody's business but its own, on this machine. */
async function managerAt(
  world: World,
  server: string,
  { question, env }: { readonly question: Question; readonly env: Environment },
): Promise<ClientConfig> {
  const credentials = await credentialsFor(world, question, { server, env });
  return withTrust({ ...credentials, server, tlsServerName: undefined }, question);
}

async function credentialsFor(
  world: World,
  { kubeconfig, context }: Question,
  { server, env }: { readonly server: string; readonly env: Environment },
): Promise<ClientConfig> {
  const asked = { context: context || undefined, env };
  if (kubeconfig !== "") return await loadClientConfig(world, { ...asked, kubeconfig, master: server });
  try {
    return await loadClientConfig(world, asked);
  } catch (error) {
    // Without any kubeconfig one asks as nobody in particular, which the manager may allow.
    if (!(error instanceof NoConfigurationError)) throw error;
    if (env.KUBECONFIG) world.log.warn("Asking without credentials", { err: error });
    return { server };
  }
}

function withTrust(config: ClientConfig, { certificateAuthority, isInsecure }: Question): ClientConfig {
  if (certificateAuthority !== "") {
    return { ...config, insecure: false, ca: { file: certificateAuthority }, caData: undefined };
  }
  const isUnverified = isInsecure || isLoopback(config.server);
  return isUnverified ? { ...config, insecure: true, ca: undefined, caData: undefined } : config;
}

function isLoopback(server: string): boolean {
  const { hostname } = new URL(server);
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** By the cluster's name: contexts of it, each with a namespace, are the user's to add and to name. */
function isOfDev({ contexts, currentContext }: Kubeconfig, context: string): boolean {
  return contexts.get(context || currentContext)?.cluster === DEV_CONTEXT;
}

async function isDevInFolder(world: World): Promise<boolean> {
  try {
    return isOfDev(await readKubeconfig(world, DEV_KUBECONFIG), "");
  } catch {
    return false;
  }
}
