import type { World } from "../../base/mod.ts";
import {
  type ClientConfig,
  ConfigError,
  type Environment,
  loadClientConfig,
  readKubeconfig,
} from "../../client/mod.ts";
import type { WhyRequest } from "./flags.ts";

type Question = Extract<WhyRequest, { type: "why" }>;

/** Where `dev` and `apiserver` put the kubeconfig unless told otherwise, and what they call its context. */
const DEV_KUBECONFIG = ".kubeloop/kubeconfig";
const DEV_CONTEXT = "kubeloop-dev";
/** A manager on this machine. */
const DEFAULT_SERVER = "https://127.0.0.1:10257";

/**
 * How the managers that may answer are reached, in the order in which they are to be tried.
 *
 * @throws {ConfigError} If a kubeconfig cannot be used.
 */
export async function managersFor(world: World, question: Question, env: Environment): Promise<ClientConfig[]> {
  const { server, kubeconfig } = question;
  if (server !== "") return [await managerAt(world, server, { question, env })];
  if (kubeconfig !== "") {
    if (await isOfDev(world, kubeconfig)) return [await devAt(world, kubeconfig, question)];
    return [await managerAt(world, DEFAULT_SERVER, { question, env })];
  }
  const dev = await isOfDev(world, DEV_KUBECONFIG) ? [await devAt(world, DEV_KUBECONFIG, question)] : [];
  return [...dev, await managerAt(world, DEFAULT_SERVER, { question, env })];
}

/** The server that a kubeconfig of `dev` names is trusted as that says. */
async function devAt(world: World, kubeconfig: string, question: Question): Promise<ClientConfig> {
  const config = await loadClientConfig(world, { kubeconfig });
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
    if (error instanceof ConfigError && error.message.includes("no configuration has been provided")) return { server };
    throw error;
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

async function isOfDev(world: World, kubeconfig: string): Promise<boolean> {
  try {
    return (await readKubeconfig(world, kubeconfig)).currentContext === DEV_CONTEXT;
  } catch {
    return false;
  }
}
