import type { ExecEntry } from "./kubeconfig/kubeconfig.ts";

/** A file, or its content, which wins if both are set. */
export interface PemSource {
  readonly file?: string;
  readonly text?: string;
}

/** Whom to impersonate; requires that right. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: ReadonlyMap<string, readonly string[]>;
}

/** Information about the cluster that an exec plugin gets. */
export interface ExecClusterInfo {
  readonly server: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** PEM text. */
  readonly certificateAuthority?: string;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  readonly config?: unknown;
}

/** An exec plugin, validated. */
export interface ExecConfig extends ExecEntry {
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  readonly cluster?: ExecClusterInfo;
}

/**
 * Everything needed to reach one API server as one user, resolved from kubeconfig, flags or the pod's environment, and
 * validated.
 * Upstream: `k8s.io/client-go/rest` (Config).
 */
export interface ClientConfig {
  /** Base URL with its scheme. */
  readonly server: string;
  /** The context's namespace. */
  readonly namespace?: string;
  readonly ca?: PemSource;
  /** The authority's certificates, if the configuration contains them. */
  readonly caData?: string;
  readonly tlsServerName?: string;
  readonly insecure?: boolean;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  readonly clientCertificate?: PemSource;
  readonly clientKey?: PemSource;
  /** With a token file: the fallback while the file cannot be read. */
  readonly token?: string;
  readonly tokenFile?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly exec?: ExecConfig;
  readonly impersonate?: Impersonation;
}
