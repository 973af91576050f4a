import type { X509Certificate } from "@peculiar/x509";
import type { Clock } from "../../base/mod.ts";
import type { User } from "./user.ts";

type X509 = typeof import("@peculiar/x509");

/** Client certificates are rare where there are bearer tokens: what reads them is loaded with the first. */
async function loadX509(): Promise<X509> {
  // It needs the reflection metadata before it is loaded.
  await import("reflect-metadata");
  return await import("@peculiar/x509");
}

/**
 * Certificate authorities that vouch for clients.
 *
 * Contract:
 * 1. A certificate is good if one of the bundle's authorities signed it, both are valid now, and it is meant for clients.
 * 2. Its common name is the user, its organizations are the groups.
 *
 * Upstream: `k8s.io/apiserver/pkg/authentication/request/x509`.
 */
export class ClientAuthorities {
  readonly #clock: Clock;
  readonly #pem: string;
  #authorities: readonly X509Certificate[] | undefined;

  /** @param pem One or more certificates. */
  constructor(clock: Clock, pem: string) {
    this.#clock = clock;
    this.#pem = pem;
  }

  /**
   * Who holds `certificate` (DER).
   *
   * @throws {Error} By sentence 1 of the contract.
   */
  async userOf(certificate: Uint8Array<ArrayBuffer>): Promise<User> {
    const x509 = await loadX509();
    const leaf = new x509.X509Certificate(certificate);
    const names = (field: string) => leaf.subjectName.getField(field);
    const [name = ""] = names("CN").slice(-1);
    if (!await this.#vouchesFor(leaf, x509)) {
      throw new Error(`client certificate ${JSON.stringify(leaf.subject)} was signed by an unknown authority`);
    }
    if (!this.#isCurrent(leaf)) throw new Error(`client certificate ${JSON.stringify(leaf.subject)} is not valid now`);
    const usages = leaf.getExtension(x509.ExtendedKeyUsageExtension)?.usages.map(String) ?? [];
    const wanted: readonly string[] = [x509.ExtendedKeyUsage.clientAuth, ANY_USAGE];
    if (usages.length > 0 && !usages.some((usage) => wanted.includes(usage))) {
      throw new Error(`certificate ${JSON.stringify(leaf.subject)} is not for clients`);
    }
    if (name === "") throw new Error("client certificate has no common name");
    return { name, groups: names("O") };
  }

  async #vouchesFor(leaf: X509Certificate, x509: X509): Promise<boolean> {
    this.#authorities ??= certificatesIn(this.#pem, x509);
    for (const authority of this.#authorities) {
      if (authority.subject !== leaf.issuer || !this.#isCurrent(authority)) continue;
      if (authority.getExtension(x509.BasicConstraintsExtension)?.ca === false) continue;
      if (await leaf.verify({ publicKey: authority, signatureOnly: true }).catch(() => false)) return true;
    }
    return false;
  }

  #isCurrent({ notBefore, notAfter }: X509Certificate): boolean {
    const nowMs = this.#clock.wallMs();
    return notBefore.getTime() <= nowMs && nowMs <= notAfter.getTime();
  }
}

const ANY_USAGE = "2.5.29.37.0";

function certificatesIn(pem: string, x509: X509): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new x509.X509Certificate(block));
}
