import { goQuote } from "../../base/mod.ts";
import type { ClusterEntry, ExecEntry, UserEntry } from "./kubeconfig.ts";

/** Problems with a cluster entry, in upstream's words. Upstream: `client-go/tools/clientcmd/validation.go`. */
export function clusterProblems(name: string, cluster: ClusterEntry): string[] {
  const problems: string[] = [];
  if (cluster.server === "") problems.push(name ? `no server found for cluster ${goQuote(name)}` : NO_SERVER);
  if (cluster.proxyUrl !== "" && !isProxyUrl(cluster.proxyUrl)) {
    problems.push(
      `invalid 'proxy-url' ${goQuote(cluster.proxyUrl)} for cluster ${
        goQuote(name)
      }: must be an http, https or socks5 URL`,
    );
  }
  if (cluster.certificateAuthority && cluster.certificateAuthorityData) {
    problems.push(
      `certificate-authority-data and certificate-authority are both specified for ${name}. ` +
        `certificate-authority-data will override.`,
    );
  }
  if (cluster.insecureSkipTlsVerify && (cluster.certificateAuthority || cluster.certificateAuthorityData)) {
    problems.push(
      `specifying a root certificates file with the insecure flag is not allowed: remove insecure-skip-tls-verify or ` +
        `certificate-authority of cluster ${goQuote(name)}`,
    );
  }
  return problems;
}

const NO_SERVER = "cluster has no server defined";

function isProxyUrl(text: string): boolean {
  return URL.canParse(text) && /^(https?|socks5h?):$/.test(new URL(text).protocol) && new URL(text).hostname !== "";
}

/** Problems with a user entry, in upstream's words. */
export function userProblems(name: string, user: UserEntry): string[] {
  const problems: string[] = [];
  const methods: string[] = [];
  if (user.token !== "") methods.push("token");
  if (user.username !== "" || user.password !== "") methods.push("basicAuth");
  if (user.clientCertificate || user.clientCertificateData) {
    problems.push(...certificateProblems(name, user));
  }
  problems.push(...execProblems(name, user));
  if (user.hasAuthProvider && !user.exec) {
    problems.push(`auth-provider is not supported for ${name}: use an exec plugin instead`);
  }
  if (methods.length > 1) {
    problems.push(
      `more than one authentication method found for ${name}; found [${methods.join(" ")}], only one is allowed`,
    );
  }
  const impersonatesMore = user.asUid !== "" || user.asGroups.length > 0 || user.asUserExtra.size > 0;
  if (impersonatesMore && user.as === "") {
    problems.push(`requesting uid, groups or user-extra for ${name} without impersonating a user`);
  }
  return problems;
}

function certificateProblems(name: string, user: UserEntry): string[] {
  const problems: string[] = [];
  if (user.clientCertificate && user.clientCertificateData) {
    problems.push(
      `client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`,
    );
  }
  if (user.clientKey && user.clientKeyData) {
    problems.push(`client-key-data and client-key are both specified for ${name}; client-key-data will override`);
  }
  if (!user.clientKey && !user.clientKeyData) {
    problems.push(
      `client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`,
    );
  }
  return problems;
}

const EXEC_VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];
const INTERACTIVE_MODES = ["Never", "IfAvailable", "Always"];

function execProblems(name: string, { exec, hasAuthProvider }: UserEntry): string[] {
  if (!exec) return [];
  const problems: string[] = [];
  const use = "to use exec authentication plugin";
  if (hasAuthProvider) {
    problems.push(`authProvider cannot be provided in combination with an exec plugin for ${name}`);
  }
  if (exec.command === "") problems.push(`command must be specified for ${name} ${use}`);
  if (exec.apiVersion === "") problems.push(`apiVersion must be specified for ${name} ${use}`);
  else if (!EXEC_VERSIONS.includes(exec.apiVersion)) {
    problems.push(`exec plugin for ${name}: invalid apiVersion ${goQuote(exec.apiVersion)}`);
  }
  if (exec.env.some((variable) => variable.name === "")) {
    problems.push(`env variable name must be specified for ${name} ${use}`);
  }
  const mode = interactiveModeOf(exec);
  if (mode === "") problems.push(`interactiveMode must be specified for ${name} ${use}`);
  else if (!INTERACTIVE_MODES.includes(mode)) problems.push(`invalid interactiveMode for ${name}: ${goQuote(mode)}`);
  return problems;
}

/** The mode as written, or the older API version's default. */
export function interactiveModeOf(exec: ExecEntry): string {
  return exec.interactiveMode || (exec.apiVersion === EXEC_VERSIONS[1] ? "IfAvailable" : "");
}
