import {
  type CertificateAndKey,
  type HttpsServer,
  type NamedCertificate,
  type ServerCertificates,
} from "../../https/mod.ts";
import { sleep, type World } from "../../base/mod.ts";
import type { ServingOptions, SniFiles } from "../serving_options.ts";
import { fileText } from "./file_text.ts";
import { isKeyOf } from "./key_match.ts";
import { selfSignedCertificate } from "./self_signed_certificate.ts";

/** How often the files are checked for a new certificate. */
const RELOAD_MS = 10_000;

export interface CertificateOptions extends Omit<ServingOptions, "securePort" | "isPortShared" | "tlsDemands"> {
  /** The base name of the files in `--cert-dir`. */
  readonly pairName: string;
}

/**
 * The endpoint's certificates: from the files that flags name, from `--cert-dir`, or generated for this process.
 *
 * Contract:
 * 1. Files that the flags name must exist. If `--cert-dir` holds no certificate, one is created there; if it cannot be
 *    written there, it lasts as long as the process.
 * 2. Changed files apply to later connections; while they are unusable, the last good ones stay in use.
 */
export class CertificateSource {
  readonly #world: World;
  readonly #read: () => Promise<ServerCertificates>;
  #current: ServerCertificates;

  private constructor(world: World, read: () => Promise<ServerCertificates>, current: ServerCertificates) {
    this.#world = world;
    this.#read = read;
    this.#current = current;
  }

  /** @throws {Error} If the files that flags name cannot be used. */
  static async open(world: World, options: CertificateOptions): Promise<CertificateSource> {
    const readOwn = await ownReader(world, options);
    const read = async (): Promise<ServerCertificates> => ({
      own: await readOwn(),
      named: await Promise.all(options.sniCertificates.map((files) => readNamed(world, files))),
    });
    return new CertificateSource(world, read, await read());
  }

  get current(): ServerCertificates {
    return this.#current;
  }

  /** Implements sentence 2 of the contract until `signal` aborts. */
  async follow(server: Pick<HttpsServer, "use">, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#world;
    let seen = this.#current;
    while (await sleep(clock, RELOAD_MS, signal)) {
      try {
        const certificates = await this.#read();
        if (JSON.stringify(certificates) === JSON.stringify(seen)) continue;
        // Logged once, because it stays unusable until it changes.
        seen = certificates;
        server.use(certificates);
        this.#current = certificates;
        log.info("Serving with a new certificate");
      } catch (error) {
        log.error("Cannot use the changed certificate; the last one stays", { err: error });
      }
    }
  }
}

/** Reads the default certificate, once its location is known. */
async function ownReader(
  world: World,
  { tlsCertFile, tlsPrivateKeyFile, certDir, bindAddress, pairName }: CertificateOptions,
): Promise<() => Promise<CertificateAndKey>> {
  if (tlsCertFile !== "") return () => readPair(world, tlsCertFile, tlsPrivateKeyFile);
  const [certFile, keyFile] = [`${certDir}/${pairName}.crt`, `${certDir}/${pairName}.key`];
  if (certDir !== "" && await isThere(world, certFile, keyFile)) return () => readPair(world, certFile, keyFile);
  const made = await selfSignedCertificate(world, bindAddress);
  if (certDir === "") return () => Promise.resolve(made);
  try {
    await world.files.writeText(certFile, made.cert, { mode: 0o644 });
    await world.files.writeText(keyFile, made.key, { mode: 0o600 });
    world.log.info("Generated self-signed cert", { cert: certFile, key: keyFile });
    return () => readPair(world, certFile, keyFile);
  } catch (error) {
    world.log.warn(
      "The certificate made for this process cannot be kept in --cert-dir: with the next start it changes",
      {
        certDir,
        err: error,
      },
    );
    return () => Promise.resolve(made);
  }
}

async function isThere({ files }: World, ...paths: readonly string[]): Promise<boolean> {
  try {
    for (const path of paths) await files.readText(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function readNamed(world: World, { certFile, keyFile, names }: SniFiles): Promise<NamedCertificate> {
  const pair = await readPair(world, certFile, keyFile);
  if (names.length > 0) return { ...pair, names: names.map((name) => name.toLowerCase()) };
  const { X509Certificate } = await import("node:crypto");
  const { subject, subjectAltName = "" } = new X509Certificate(pair.cert);
  const [, commonName] = /^CN=([\w.*-]+)$/m.exec(subject) ?? [];
  const own = [...subjectAltName.matchAll(/DNS:([^,\s]+)/g)].map(([, name]) => name);
  return { ...pair, names: [...commonName ? [commonName] : [], ...own].map((name) => name.toLowerCase()) };
}

async function readPair(world: World, certFile: string, keyFile: string): Promise<CertificateAndKey> {
  const [cert, key] = [await fileText(world, certFile), await fileText(world, keyFile)];
  const { createPrivateKey, createPublicKey, X509Certificate } = await import("node:crypto");
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
  if (!isKeyOf(certificate, () => createPublicKey(privateKey))) {
    throw new Error(`tls: private key ${keyFile} does not match public key of ${certFile}`);
  }
  return { cert, key };
}
