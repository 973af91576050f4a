import type { ExecEntry } from "./kubeconfig/kubeconfig.ts";

/** A file, or its content; the content counts when both are there. */
export interface PemSource {
  readonly file?: string;
  readonly text?: string;
}

/** Who to act as; needs the right to impersonate. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: ReadonlyMap<string, readonly string[]>;
}

/** What an exec plugin is told about the cluster. */
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

/** An exec plugin, checked. */
export interface ExecConfig extends ExecEntry {
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  readonly cluster?: ExecClusterInfo;
}

/**
 * Everything needed to reach one API server as one user, checked: what kubeconfig, flags or the pod's environment came to.
 * Upstream: `k8s.io/client-go/rest` (Config).
 */
export interface ClientConfig {
  /** Base URL with its scheme. */
  readonly server: string;
  /** The context's namespace. */
  readonly namespace?: string;
  readonly ca?: PemSource;
  /** The authority's certificates, if they are written in the configuration itself. */
  readonly caData?: string;
  readonly tlsServerName?: string;
  readonly insecure?: boolean;
  readonly proxyUrl?: string;
  readonly clientCertificate?: PemSource;
  readonly clientKey?: PemSource;
  /** With a token file: what is used while the file cannot be read. */
  readonly token?: string;
  readonly tokenFile?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly exec?: ExecConfig;
  readonly impersonate?: Impersonation;
}
