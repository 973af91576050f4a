import type { MetricsRegistry, World } from "../../base/mod.ts";
import type { TlsSettings } from "../tls_settings.ts";
import type { ClientConfig, PemSource } from "../client_config.ts";
import { CertificatePair, type PemText } from "./certificate_pair.ts";
import type { ExecPlugin } from "./exec_plugin.ts";
import { ReloadedFile } from "./reloaded_file.ts";

/** Reacts to changed certificates. */
export interface TlsMaterialListener {
  /** New connections trust another authority; idle ones should be closed. */
  caChanged(): void;
  /** There is a new client certificate; all connections should be closed. */
  certificateChanged(): void;
}

/**
 * Certificates and keys of one configuration. Files are read again as they change; inline data never changes.
 * Upstream: `client-go/transport/cert_rotation.go`, `tls_cache.go`.
 */
export class TlsMaterial {
  readonly #config: ClientConfig;
  readonly #exec?: ExecPlugin;
  readonly #ca?: PemText;
  readonly #pair?: CertificatePair;
  /** Whether anything can change, so that it must be checked before every request. */
  readonly isReloadable: boolean;

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
    const cert = sourceOf(world, { pem: config.clientCertificate, accept: isCertificate });
    const key = sourceOf(world, { pem: config.clientKey, accept: isKey });
    this.isReloadable = [this.#ca, cert, key].some((source) => source instanceof ReloadedFile);
    if (cert && key) {
      this.#pair = new CertificatePair(world, { cert, key });
      this.#pair.onChange = () => listener.certificateChanged();
    }
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
    if (exec) exec.onCertificate = () => listener.certificateChanged();
  }

  /** For a new connection. */
  async settings(): Promise<TlsSettings> {
    const { tlsServerName: serverName, insecure } = this.#config;
    const ca = await this.#ca?.text();
    const pair = await this.#pair?.pair() ?? await this.#exec?.certificate();
    return { ca, serverName, insecure, ...pair };
  }
}

function sourceOf(
  world: World,
  { pem, accept }: { readonly pem?: PemSource; readonly accept: (text: string) => boolean },
): PemText | undefined {
  const { text, file } = pem ?? {};
  if (text !== undefined) return { text: () => text };
  return file === undefined ? undefined : new ReloadedFile(world, { path: file, accept });
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/;

function isCertificate(text: string): boolean {
  return CERTIFICATE.test(text);
}

function isKey(text: string): boolean {
  return text.includes("PRIVATE KEY");
}
