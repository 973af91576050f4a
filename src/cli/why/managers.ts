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

/** The default path of the kubeconfig of `dev` and `apiserver`. */
const DEV_KUBECONFIG = ".kubeloop/kubeconfig";
/** The default address: a manager on this machine. */
const DEFAULT_SERVER = "https://127.0.0.1:10257";

/**
 * The managers that may answer, in the order to try. By default, the `dev` of the current context, which kubectl uses
 * too, or the one started in this folder.
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

/** The server in a kubeconfig of `dev`, with the trust that it configures. */
async function devAt(
  world: World,
  question: Question,
  found: { readonly kubeconfig?: string; readonly env: Environment },
): Promise<ClientConfig> {
  const config = await loadClientConfig(world, { ...found, context: question.context || undefined });
  return question.isInsecure || question.certificateAuthority !== "" ? withTrust(config, question) : config;
}

/** A manager on this machine, whose self-signed certificate is not verified. */
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
    // Without a kubeconfig, the request is anonymous, which the manager may allow.
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

/** Compares the cluster's name: users may add contexts of it under any name. */
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
