import { type CertificateAndKey, type HttpsServer, sleep, type World } from "../../base/mod.ts";
import type { ManagerOptions } from "../options.ts";
import { fileText } from "./file_text.ts";

/** How often the files are looked at for a new certificate. */
const RELOAD_MS = 10_000;
const PAIR_NAME = "kube-controller-manager";

export type CertificateOptions = Pick<ManagerOptions, "bindAddress" | "certDir" | "tlsCertFile" | "tlsPrivateKeyFile">;

/**
 * The endpoint's certificate: of the files that the flags name, or of `--cert-dir`, or made for this process.
 *
 * Contract:
 * 1. Files that the flags name must be there; `--cert-dir` counts if it holds a certificate and a key.
 * 2. Files that change are used for connections made afterwards; while they cannot be, the last good ones are.
 */
export class CertificateSource {
  readonly #world: World;
  readonly #read?: () => Promise<CertificateAndKey>;
  #current: CertificateAndKey;

  private constructor(world: World, current: CertificateAndKey, read?: () => Promise<CertificateAndKey>) {
    this.#world = world;
    this.#current = current;
    this.#read = read;
  }

  /** @throws {Error} If files that the flags name cannot be used. */
  static async open(world: World, options: CertificateOptions): Promise<CertificateSource> {
    const { tlsCertFile, tlsPrivateKeyFile, certDir, bindAddress } = options;
    if (tlsCertFile !== "") {
      const read = () => readPair(world, tlsCertFile, tlsPrivateKeyFile);
      return new CertificateSource(world, await read(), read);
    }
    if (certDir !== "") {
      const read = () => readPair(world, `${certDir}/${PAIR_NAME}.crt`, `${certDir}/${PAIR_NAME}.key`);
      const pair = await read().catch(() => undefined);
      if (pair) return new CertificateSource(world, pair, read);
      world.log.warn("--cert-dir holds no certificate; one is made for this process and not written there", {
        certDir,
      });
    }
    // X.509 is loaded only where no certificate was given.
    const { selfSignedCertificate } = await import("../serving_certificate.ts");
    return new CertificateSource(world, await selfSignedCertificate(world, bindAddress));
  }

  get current(): CertificateAndKey {
    return this.#current;
  }

  /** Sentence 2 of the contract, until `signal` aborts. */
  async follow(server: Pick<HttpsServer, "use">, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#world;
    if (!this.#read) return;
    while (await sleep(clock, RELOAD_MS, signal)) {
      try {
        const pair = await this.#read();
        if (pair.cert === this.#current.cert && pair.key === this.#current.key) continue;
        server.use(pair);
        this.#current = pair;
        log.info("Serving with a new certificate");
      } catch (error) {
        log.error("Cannot use the changed certificate; the last one stays", { err: error });
      }
    }
  }
}

async function readPair(world: World, certFile: string, keyFile: string): Promise<CertificateAndKey> {
  const [cert, key] = [await fileText(world, certFile), await fileText(world, keyFile)];
  const { createPrivateKey, X509Certificate } = await import("node:crypto");
  const parsed = <T>(path: string, parse: () => T): T => {
    try {
      return parse();
    } catch (cause) {
      throw new Error(`${path}: cannot be read as PEM of a ${path === certFile ? "certificate" : "private key"}`, {
        cause,
      });
    }
  };
  const certificate = parsed(certFile, () => new X509Certificate(cert));
  const privateKey = parsed(keyFile, () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(`tls: private key ${keyFile} does not match public key of ${certFile}`);
  }
  return { cert, key };
}
