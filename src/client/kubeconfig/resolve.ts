import { goQuote, type World } from "../../base/mod.ts";
import { ConfigError, NoConfigurationError, readFailure } from "./config_error.ts";
import type { ClientConfig, ExecConfig, PemSource } from "../client_config.ts";
import type { ClusterEntry, Kubeconfig, UserEntry } from "./kubeconfig.ts";
import { clusterProblems, interactiveModeOf, userProblems } from "./validate.ts";

/** Overrides of a kubeconfig. */
export interface ResolveOptions {
  /** Replaces the current context. */
  readonly context?: string;
  /** Replaces the cluster's server; its tls-server-name is dropped. */
  readonly master?: string;
}

/** The hint that upstream's components print. */
const UPSTREAM_HINT = ", try setting KUBERNETES_MASTER environment variable";

/**
 * Resolves and validates a kubeconfig for one context. Files are read once; credentials are dropped if the server is
 * not reached over https. Upstream: `client-go/tools/clientcmd/client_config.go`.
 *
 * @throws {ConfigError} If something is missing or contradictory.
 */
export async function resolveKubeconfig(
  world: World,
  config: Kubeconfig,
  { context: asked, master }: ResolveOptions = {},
): Promise<ClientConfig> {
  const contextName = asked ?? config.currentContext;
  const context = config.contexts.get(contextName);
  if (contextName !== "" && !context) {
    throw new ConfigError(`invalid configuration: context was not found for specified context: ${contextName}`);
  }
  const cluster = entryOf(config.clusters, context?.cluster, { what: "cluster", context: contextName });
  const user = entryOf(config.users, context?.user, { what: "user", context: contextName });
  if (!cluster && !master) throw new NoConfigurationError(UPSTREAM_HINT);
  const written = cluster ?? EMPTY_CLUSTER;
  const effective = master ? { ...written, server: master, tlsServerName: "" } : written;
  const userName = context?.user ?? "";
  const problems = [
    ...located(clusterProblems(context?.cluster ?? "", effective), effective.file),
    ...(user ? located(userProblems(userName, user), user.file) : []),
  ];
  if (problems.length > 0) {
    const list = problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`;
    throw new ConfigError(`invalid configuration: ${list}`);
  }
  await checkFiles(world, { cluster: effective, user, names: { cluster: context?.cluster ?? "", user: userName } });
  const server = serverUrl({ cluster: effective, user }, master ? "" : effective.file);
  return toConnection({ cluster: effective, user }, { server, namespace: context?.namespace || undefined });
}

/** Prefixes the message with the file, unless the server came from a flag. */
function located(problems: readonly string[], file: string): string[] {
  return problems.map((problem) => file ? `${file}: ${problem}` : problem);
}

const EMPTY_CLUSTER: ClusterEntry = {
  file: "",
  server: "",
  tlsServerName: "",
  insecureSkipTlsVerify: false,
  certificateAuthority: "",
  certificateAuthorityData: "",
  proxyUrl: "",
  disableCompression: false,
  extensions: new Map(),
};

function entryOf<T>(
  entries: ReadonlyMap<string, T>,
  name: string | undefined,
  { what, context }: { readonly what: string; readonly context: string },
): T | undefined {
  if (!name) return undefined;
  const entry = entries.get(name);
  if (entry) return entry;
  throw new ConfigError(
    `invalid configuration: ${what} ${goQuote(name)} was not found for context ${goQuote(context)}`,
  );
}

interface Chosen {
  readonly cluster: ClusterEntry;
  readonly user?: UserEntry;
}

async function checkFiles(
  world: World,
  { cluster, user, names }: Chosen & { readonly names: { readonly cluster: string; readonly user: string } },
): Promise<void> {
  const check = async (path: string, name: string, what: string) => {
    if (path === "") return;
    try {
      await world.files.readText(path);
    } catch (cause) {
      const why = readFailure(path, cause);
      throw new ConfigError(`invalid configuration: unable to read ${what} ${path} for ${name} due to ${why}`, {
        cause,
      });
    }
  };
  await check(cluster.certificateAuthority, names.cluster, "certificate-authority");
  if (!user) return;
  await check(user.clientCertificate, names.user, "client-cert");
  if (user.clientCertificate || user.clientCertificateData) await check(user.clientKey, names.user, "client-key");
  if (user.token === "") await check(user.tokenFile, names.user, "tokenFile");
}

function toConnection(
  { cluster, user }: Chosen,
  { server, namespace }: { readonly server: string; readonly namespace?: string },
): ClientConfig {
  const base: ClientConfig = {
    server,
    namespace,
    ca: pem(cluster.certificateAuthority, cluster.certificateAuthorityData),
    caData: cluster.certificateAuthorityData || undefined,
    tlsServerName: cluster.tlsServerName || undefined,
    insecure: cluster.insecureSkipTlsVerify || undefined,
    proxyUrl: cluster.proxyUrl || undefined,
    disableCompression: cluster.disableCompression || undefined,
    impersonate: user?.as
      ? { user: user.as, uid: user.asUid || undefined, groups: user.asGroups, extra: user.asUserExtra }
      : undefined,
  };
  // Over plain HTTP anybody could read the credentials.
  if (!user || !server.startsWith("https:")) return base;
  const hasBasic = user.username !== "" || user.password !== "";
  return {
    ...base,
    clientCertificate: pem(user.clientCertificate, user.clientCertificateData),
    clientKey: pem(user.clientKey, user.clientKeyData),
    token: user.token || undefined,
    tokenFile: user.tokenFile || undefined,
    basic: hasBasic ? { username: user.username, password: user.password } : undefined,
    exec: user.exec && execConfig(user, cluster, server),
  };
}

function execConfig(user: UserEntry, cluster: ClusterEntry, server: string): ExecConfig {
  const exec = user.exec!;
  const info = exec.provideClusterInfo
    ? {
      server,
      tlsServerName: cluster.tlsServerName || undefined,
      insecureSkipTlsVerify: cluster.insecureSkipTlsVerify || undefined,
      certificateAuthority: cluster.certificateAuthorityData || undefined,
      proxyUrl: cluster.proxyUrl || undefined,
      disableCompression: cluster.disableCompression || undefined,
      config: cluster.extensions.get("client.authentication.k8s.io/exec"),
    }
    : undefined;
  // Already checked with the user's problems.
  const interactiveMode = interactiveModeOf(exec) as ExecConfig["interactiveMode"];
  return { ...exec, interactiveMode, cluster: info };
}

function pem(file: string, text: string): PemSource | undefined {
  if (text !== "") return { text };
  return file === "" ? undefined : { file };
}

/** @param file The file that names the server; empty if a flag does. */
function serverUrl({ cluster, user }: Chosen, file: string): string {
  const { server } = cluster;
  const hasTls = cluster.insecureSkipTlsVerify || cluster.certificateAuthority !== "" ||
    cluster.certificateAuthorityData !== "" || Boolean(user?.clientCertificate || user?.clientCertificateData);
  const text = server.includes("://") ? server : `${hasTls ? "https" : "http"}://${server}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "" || url.search !== "" || url.hash !== "") {
    const where = file ? `${file}: ` : "";
    throw new ConfigError(`${where}server: host must be a URL or a host:port pair: ${goQuote(server)}`);
  }
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}`;
}
