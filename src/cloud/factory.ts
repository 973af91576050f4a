import type { MetricsRegistry, World } from "../base/mod.ts";
import type { CloudProvider } from "./provider.ts";

/** Sends a request to a cloud. Aborts with the request's signal. */
export type SendRequest = (request: Request) => Promise<Response>;

/** TLS settings for verifying the server and for the client certificate; everything in PEM. */
export interface CloudTls {
  /** Authorities to trust in addition to the runtime's. */
  readonly authorities?: readonly string[];
  readonly certificate?: string;
  readonly key?: string;
}

/** What a provider gets when it is opened. */
export interface CloudSetup {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  /** The file of `--cloud-config`. */
  readonly config: CloudConfigFile;
  /** `--cluster-name`. */
  readonly clusterName: string;
  /** The ranges in `--cluster-cidr`; may be empty. */
  readonly clusterCidrs: readonly string[];
  /** Reads an environment variable. */
  env(name: string): string | undefined;
  /** Makes a sender with its own connections. */
  connect(tls?: CloudTls): SendRequest;
}

/** The file of `--cloud-config`, which is read again when it changes. */
export interface CloudConfigFile {
  /** Its path; empty if the flag is not set. */
  readonly path: string;
  /** Its latest content; empty if the flag is not set. */
  readonly text: string;
  /** Calls `listener` with each new text until the returned object is disposed. */
  onChange(listener: (text: string) => void): Disposable;
}

/** A kind of provider, selected by `--cloud-provider`. */
export interface CloudProviderFactory {
  readonly name: string;
  /** @throws {Error} A one-line message that says what is wrong with its configuration, and where. */
  open(setup: CloudSetup): Promise<CloudProvider>;
}
