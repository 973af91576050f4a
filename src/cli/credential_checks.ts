import type { Files } from "../base/mod.ts";
import { type ClientConfig, ConfigError, type PemSource } from "../client/mod.ts";
import { osReason } from "../manager/mod.ts";

const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;

/**
 * Checks a configuration's certificates before anything starts. Otherwise the process would start, reach nobody, and
 * log that for ever.
 *
 * A certificate and key in files that do not match are no error here: whatever replaces them writes one after the
 * other.
 *
 * @throws {ConfigError} Names the file, or the field that contains it.
 */
export async function checkCredentials(files: Files, config: ClientConfig): Promise<void> {
  const { ca, clientCertificate: cert, clientKey: key } = config;
  if (ca) {
    const why = await certificatesObjection(await textOf(files, ca));
    if (why !== undefined) {
      throw new ConfigError(`unable to load root certificates: ${nameOf(ca, "certificate-authority-data")}: ${why}`);
    }
  }
  if (!cert || !key) return;
  const [certText, keyText] = [await textOf(files, cert), await textOf(files, key)];
  const why = await certificatesObjection(certText);
  if (why !== undefined) {
    throw new ConfigError(`unable to load the client certificate: ${nameOf(cert, "client-certificate-data")}: ${why}`);
  }
  if (!PRIVATE_KEY.test(keyText)) {
    throw new ConfigError(
      `unable to load the client key: ${nameOf(key, "client-key-data")}: cannot be read as PEM of a private key`,
    );
  }
  if (cert.text !== undefined && key.text !== undefined && !await belongTogether(certText, keyText)) {
    throw new ConfigError("tls: private key of client-key-data does not match public key of client-certificate-data");
  }
}

/**
 * The bundle of `--root-ca-file`.
 *
 * @throws {ConfigError} If it cannot be read, or contains something other than certificates.
 */
export async function readRootCa(files: Files, path: string): Promise<string> {
  const text = await files.readText(path).catch((error: Error) => {
    throw new ConfigError(`error reading root-ca-file at ${path}: ${osReason(error)}`);
  });
  const why = await certificatesObjection(text);
  if (why !== undefined) throw new ConfigError(`error parsing root-ca-file at ${path}: ${why}`);
  return text;
}

async function textOf(files: Files, { text, file = "" }: PemSource): Promise<string> {
  return text ??
    await files.readText(file).catch((error: Error) => {
      throw new ConfigError(`open ${file}: ${osReason(error)}`);
    });
}

function nameOf({ text, file }: PemSource, field: string): string {
  return text === undefined && file !== undefined ? file : field;
}

async function certificatesObjection(text: string): Promise<string | undefined> {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return "data does not contain any valid RSA or ECDSA certificates";
  const { X509Certificate } = await import("node:crypto");
  const odd = blocks.findIndex((block) => {
    try {
      return !new X509Certificate(block);
    } catch {
      return true;
    }
  });
  return odd === -1 ? undefined : `certificate ${odd + 1} of ${blocks.length} is malformed`;
}

/** Also `true` if that cannot be determined: the first handshake shows it. */
async function belongTogether(cert: string, key: string): Promise<boolean> {
  const { createPublicKey, X509Certificate } = await import("node:crypto");
  const format = { type: "spki", format: "pem" } as const;
  try {
    return new X509Certificate(cert).publicKey.export(format) === createPublicKey(key).export(format);
  } catch {
    return true;
  }
}
