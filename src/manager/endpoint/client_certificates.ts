import type { X509Certificate } from "@peculiar/x509";
import type { Clock } from "../../base/mod.ts";
import { type ChainOptions, verifyChain } from "./certificate_chain.ts";
import type { User } from "./user.ts";

type X509 = typeof import("@peculiar/x509");

/** With bearer tokens, client certificates are rare, so their parser is loaded when the first one arrives. */
async function loadX509(): Promise<X509> {
  // It requires the reflection metadata to be loaded first.
  await import("reflect-metadata");
  return await import("@peculiar/x509");
}

/**
 * Certificate authorities that vouch for clients.
 *
 * Contract:
 * 1. A certificate is good if there is a chain to it from one of the bundle's authorities: see {@link verifyChain}.
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
   * The user of `certificate` (DER).
   *
   * @param intermediates The client's other certificates.
   * @throws {Error} By sentence 1 of the contract.
   */
  async userOf(certificate: Uint8Array<ArrayBuffer>, intermediates: ChainOptions["intermediates"]): Promise<User> {
    const x509 = await loadX509();
    const leaf = new x509.X509Certificate(certificate);
    const authorities = this.#authorities ??= certificatesIn(this.#pem, x509);
    await verifyChain(leaf, { x509, authorities, intermediates, nowMs: this.#clock.wallMs() });
    const names = (field: string) => leaf.subjectName.getField(field);
    const [name = ""] = names("CN").slice(-1);
    if (name === "") throw new Error("client certificate has no common name");
    return { name, groups: names("O") };
  }
}

function certificatesIn(pem: string, x509: X509): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new x509.X509Certificate(block));
}
