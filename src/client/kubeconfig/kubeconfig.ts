import { dirname, isAbsolute, resolve } from "@std/path";
import { parse } from "@std/yaml";
import { ConfigError } from "./config_error.ts";
import { Fields } from "./fields.ts";

/** A cluster entry as written. Texts that the file lacks are empty; paths are absolute. */
export interface ClusterEntry {
  readonly file: string;
  readonly server: string;
  readonly tlsServerName: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly certificateAuthority: string;
  /** PEM text. */
  readonly certificateAuthorityData: string;
  readonly proxyUrl: string;
  readonly disableCompression: boolean;
  /** By name. */
  readonly extensions: ReadonlyMap<string, unknown>;
}

/** An exec plugin, as written. */
export interface ExecEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string;
  readonly interactiveMode: string;
  readonly provideClusterInfo: boolean;
  readonly installHint: string;
}

/** A user entry as written. */
export interface UserEntry {
  readonly file: string;
  readonly clientCertificate: string;
  /** PEM text. */
  readonly clientCertificateData: string;
  readonly clientKey: string;
  /** PEM text. */
  readonly clientKeyData: string;
  readonly token: string;
  readonly tokenFile: string;
  readonly as: string;
  readonly asUid: string;
  readonly asGroups: readonly string[];
  readonly asUserExtra: ReadonlyMap<string, readonly string[]>;
  readonly username: string;
  readonly password: string;
  readonly exec?: ExecEntry;
  readonly hasAuthProvider: boolean;
}

/** A context: a cluster and a user. */
export interface ContextEntry {
  readonly file: string;
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string;
}

/** The content of one or several kubeconfig files. */
export interface Kubeconfig {
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
}

/**
 * Parses a kubeconfig file, YAML or JSON. Relative paths are resolved against the directory of `file`; unknown fields
 * are ignored. Upstream: `k8s.io/client-go/tools/clientcmd`.
 *
 * @throws {ConfigError} If the text cannot be read, or a field has the wrong type.
 *
 * @example
 * ```ts
 * import { parseKubeconfig } from "kubeloop/client";
 * import { assertEquals } from "@std/assert";
 *
 * const text = "clusters: [{ name: home, cluster: { server: 'https://10.0.0.1:6443', certificate-authority: ca.crt } }]";
 * const config = parseKubeconfig(text, "/etc/kubernetes/admin.conf");
 * assertEquals(config.clusters.get("home")?.certificateAuthority, "/etc/kubernetes/ca.crt");
 * ```
 */
export function parseKubeconfig(text: string, file: string): Kubeconfig {
  let parsed: unknown;
  try {
    parsed = parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split("\n")[0].replace(/:$/, "") : String(cause);
    throw new ConfigError(`${file}: not valid YAML: ${why}`, { cause });
  }
  const fields = new Fields(parsed, `${file}:`);
  const kind = fields.text("kind") || "Config";
  const apiVersion = fields.text("apiVersion") || "v1";
  if (kind !== "Config" || apiVersion !== "v1") {
    throw new ConfigError(`${file}: kind must be "Config" and apiVersion "v1", not "${kind}" and "${apiVersion}"`);
  }
  return {
    currentContext: fields.text("current-context"),
    clusters: named(fields, { list: "clusters", field: "cluster" }, (entry) => readCluster(entry, file)),
    contexts: named(fields, { list: "contexts", field: "context" }, (entry) => readContext(entry, file)),
    users: named(fields, { list: "users", field: "user" }, (entry) => readUser(entry, file)),
  };
}

function named<T>(
  fields: Fields,
  { list, field }: { readonly list: string; readonly field: string },
  read: (entry: Fields) => T,
): Map<string, T> {
  const found = new Map<string, T>();
  for (const item of fields.items(list)) {
    const name = item.text("name");
    if (found.has(name)) throw new ConfigError(`${item.where}.name: duplicate name "${name}"`);
    found.set(name, read(item.inner(field)));
  }
  return found;
}

function readCluster(fields: Fields, file: string): ClusterEntry {
  return {
    file,
    server: fields.text("server"),
    tlsServerName: fields.text("tls-server-name"),
    insecureSkipTlsVerify: fields.flag("insecure-skip-tls-verify"),
    certificateAuthority: absolute(fields.text("certificate-authority"), file),
    certificateAuthorityData: fields.decoded("certificate-authority-data"),
    proxyUrl: fields.text("proxy-url"),
    disableCompression: fields.flag("disable-compression"),
    extensions: new Map(fields.items("extensions").map((item) => [item.text("name"), item.raw("extension")])),
  };
}

function readContext(fields: Fields, file: string): ContextEntry {
  return {
    file,
    cluster: fields.text("cluster"),
    user: fields.text("user"),
    namespace: fields.text("namespace"),
  };
}

function readUser(fields: Fields, file: string): UserEntry {
  const extra = fields.inner("as-user-extra");
  return {
    file,
    clientCertificate: absolute(fields.text("client-certificate"), file),
    clientCertificateData: fields.decoded("client-certificate-data"),
    clientKey: absolute(fields.text("client-key"), file),
    clientKeyData: fields.decoded("client-key-data"),
    token: fields.text("token"),
    tokenFile: absolute(fields.text("tokenFile"), file),
    as: fields.text("as"),
    asUid: fields.text("as-uid"),
    asGroups: fields.texts("as-groups"),
    asUserExtra: new Map(extra.keys().map((key) => [key, extra.texts(key)])),
    username: fields.text("username"),
    password: fields.text("password"),
    exec: fields.has("exec") ? readExec(fields.inner("exec"), file) : undefined,
    hasAuthProvider: fields.has("auth-provider"),
  };
}

function readExec(fields: Fields, file: string): ExecEntry {
  const command = fields.text("command");
  return {
    command: command.includes("/") ? absolute(command, file) : command,
    args: fields.texts("args"),
    env: fields.items("env").map((item) => ({ name: item.text("name"), value: item.text("value") })),
    apiVersion: fields.text("apiVersion"),
    interactiveMode: fields.text("interactiveMode"),
    provideClusterInfo: fields.flag("provideClusterInfo"),
    installHint: fields.text("installHint"),
  };
}

function absolute(path: string, file: string): string {
  if (path === "" || isAbsolute(path)) return path;
  return resolve(dirname(file), path);
}

/**
 * Merges several files: among entries of the same name, and among current contexts, the first wins.
 * Upstream: `client-go/tools/clientcmd/loader.go`.
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const firstOf = <T>(pick: (config: Kubeconfig) => ReadonlyMap<string, T>): Map<string, T> =>
    new Map([...configs].reverse().flatMap((config) => [...pick(config)]));
  return {
    currentContext: configs.find((config) => config.currentContext !== "")?.currentContext ?? "",
    clusters: firstOf((config) => config.clusters),
    contexts: firstOf((config) => config.contexts),
    users: firstOf((config) => config.users),
  };
}
