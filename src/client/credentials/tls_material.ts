import type { MetricsRegistry, World } from "../../base/mod.ts";
import type { TlsSettings } from "../tls_settings.ts";
import type { ClientConfig, PemSource } from "../client_config.ts";
import type { ExecPlugin } from "./exec_plugin.ts";
import { ReloadedFile } from "./reloaded_file.ts";

/** What changes of certificates lead to. */
export interface TlsMaterialListener {
  /** New connections trust another authority; unused ones should go. */
  caChanged(): void;
  /** We are to be known by another certificate; all connections should go. */
  certificateChanged(): void;
}

/**
 * Certificates and keys of one configuration, files re-read as they change. Inline data never changes.
 * Upstream: `client-go/transport/cert_rotation.go`, `tls_cache.go`.
 */
export class TlsMaterial {
  readonly #config: ClientConfig;
  readonly #exec?: ExecPlugin;
  readonly #ca?: Source;
  readonly #cert?: Source;
  readonly #key?: Source;

  constructor(
    { world, config, metrics, exec, listener }: {
      readonly world: World;
      readonly config: ClientConfig;
      readonly metrics: MetricsRegistry;
      readonly exec?: ExecPlugin;
      readonly listener: TlsMaterialListener;
    },
  ) {
    this.#config = config;
    this.#exec = exec;
    this.#ca = config.insecure ? undefined : sourceOf(world, { pem: config.ca, accept: isCertificate });
    this.#cert = sourceOf(world, { pem: config.clientCertificate, accept: isCertificate });
    this.#key = sourceOf(world, { pem: config.clientKey, accept: isKey });
    const reloads = metrics.counter({
      name: "rest_client_transport_ca_reload_total",
      help: "Number of certificate authority reloads, partitioned by result and reason.",
      labels: ["result", "reason"],
    });
    if (this.#ca instanceof ReloadedFile) {
      this.#ca.onChange = () => {
        reloads.inc(["success", ""]);
        listener.caChanged();
      };
      this.#ca.onRefusal = (reason) => reloads.inc(["failure", reason]);
    }
    if (this.#cert instanceof ReloadedFile) this.#cert.onChange = () => listener.certificateChanged();
    if (exec) exec.onCertificate = () => listener.certificateChanged();
  }

  /** Whether anything can change, so that it is worth asking before every request. */
  get isReloadable(): boolean {
    return [this.#ca, this.#cert, this.#key].some((source) => source instanceof ReloadedFile);
  }

  /** For a new connection. */
  async settings(): Promise<TlsSettings> {
    const { tlsServerName: serverName, insecure } = this.#config;
    const [ca, key] = [await this.#ca?.text(), await this.#key?.text()];
    const cert = await this.#cert?.text(); // after the key, so that a pair changed in between is seen the next time
    const pair = cert && key ? { cert, key } : await this.#exec?.certificate() ?? {};
    return { ca, serverName, insecure, ...pair };
  }
}

type Source = ReloadedFile | { text(): string };

function sourceOf(
  world: World,
  { pem, accept }: { readonly pem?: PemSource; readonly accept: (text: string) => boolean },
): Source | undefined {
  const { text, file } = pem ?? {};
  if (text !== undefined) return { text: () => text };
  return file === undefined ? undefined : new ReloadedFile(world, { path: file, accept });
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----\s*([A-Za-z0-9+/=\s]+?)-----END CERTIFICATE-----/;

function isCertificate(text: string): boolean {
  return CERTIFICATE.test(text);
}

function isKey(text: string): boolean {
  return text.includes("PRIVATE KEY");
}
