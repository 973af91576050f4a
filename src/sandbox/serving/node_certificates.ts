import type { ClientCertificate } from "../apiserver/mod.ts";
import { ALGORITHM, loadX509 } from "./certificate_authority.ts";

const NODES = "system:nodes";

/** A certificate request in PEM for a node's kubelet, with a new key that is never shown. */
export async function nodeRequest(name: string): Promise<string> {
  const x509 = await loadX509();
  const keys = await crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"]) as CryptoKeyPair;
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ O: [NODES] }, { CN: [`system:node:${name}`] }],
    keys,
    signingAlgorithm: ALGORITHM,
  });
  return request.toString("pem") + "\n";
}

/**
 * The holder of a certificate, as determined by a server that trusts `authority`.
 *
 * @param nowMs The wall clock.
 */
export async function holderOf(
  certificate: string,
  { authority, nowMs }: { readonly authority: string; readonly nowMs: number },
): Promise<ClientCertificate> {
  const x509 = await loadX509();
  const shown = new x509.X509Certificate(certificate);
  const { publicKey } = new x509.X509Certificate(authority);
  return {
    isVerified: await shown.verify({ publicKey, date: new Date(nowMs) }),
    commonName: shown.subjectName.getField("CN").at(-1) ?? "",
    organizations: shown.subjectName.getField("O"),
    fingerprint: "",
  };
}
