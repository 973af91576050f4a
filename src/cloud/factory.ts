import type { MetricsRegistry, World } from "../base/mod.ts";
import type { CloudProvider } from "./provider.ts";

/** Sends a request to where a cloud is, and nothing else of the platform. Aborts with the request's signal. */
export type SendRequest = (request: Request) => Promise<Response>;

/** How a server's certificate is judged, and which certificate is shown to it; everything in PEM. */
export interface CloudTls {
  /** Authorities besides those that the runtime trusts. */
  readonly authorities?: readonly string[];
  readonly certificate?: string;
  readonly key?: string;
}

/** What a provider is made with. */
export interface CloudSetup {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  /** The file of `--cloud-config`. */
  readonly config: CloudConfigFile;
  /** `--cluster-name`. */
  readonly clusterName: string;
  /** `--cluster-cidr`, of which there may be none. */
  readonly clusterCidrs: readonly string[];
  /** A variable of the environment. */
  env(name: string): string | undefined;
  /** A way to send requests, with connections of its own. */
  connect(tls?: CloudTls): SendRequest;
}

/** The file of `--cloud-config`, which is read again when it changes. */
export interface CloudConfigFile {
  /** Where it is; empty where the flag is not set. */
  readonly path: string;
  /** What was in it last; empty where the flag is not set. */
  readonly text: string;
  /** Calls `listener` with each new text, until what is returned is disposed of. */
  onChange(listener: (text: string) => void): Disposable;
}

/** A kind of provider, as `--cloud-provider` names it. */
export interface CloudProviderFactory {
  readonly name: string;
  /** @throws {Error} Saying in one line what is wrong with its configuration, and where. */
  open(setup: CloudSetup): Promise<CloudProvider>;
}
