import type { X509Certificate } from "@peculiar/x509";

type X509 = typeof import("@peculiar/x509");

/** How many signatures are checked for one certificate. Upstream: `crypto/x509` (maxChainSignatureChecks). */
const MAX_CHECKS = 100;

/** Extensions that may be critical, because they are checked here or do not affect who may sign for whom. */
const KNOWN_EXTENSIONS: ReadonlySet<string> = new Set([
  "2.5.29.14", // subject key identifier
  "2.5.29.15", // key usage
  "2.5.29.17", // subject alternative name
  "2.5.29.19", // basic constraints
  "2.5.29.31", // distribution points of revocation lists
  "2.5.29.32", // policies
  "2.5.29.35", // authority key identifier
  "2.5.29.37", // extended key usage
  "1.3.6.1.5.5.7.1.1", // authority information access
]);
/** How many characters of a subject a message shows. */
const MAX_SHOWN = 200;
const NAME_CONSTRAINTS = "2.5.29.30";
const ANY_USAGE = "2.5.29.37.0";
const BROKEN_HASHES: ReadonlySet<string> = new Set(["SHA-1", "MD5"]);

/** What a client's certificate is checked against. */
export interface ChainOptions {
  readonly x509: X509;
  readonly authorities: readonly X509Certificate[];
  /** The client's other certificates, in DER. Called only if no authority signed the certificate itself. */
  readonly intermediates: () => readonly Uint8Array<ArrayBuffer>[];
  readonly nowMs: number;
}

/** A trusted signer, and how many certificates may follow between it and a client. */
interface Signer {
  readonly certificate: X509Certificate;
  readonly left: number;
}

/**
 * Finds a chain from an authority to a client's certificate.
 *
 * Contract:
 * 1. A chain begins at an authority and ends at the client's certificate; each signed the next one, which names it as
 *    its issuer.
 * 2. All of them are valid now, are meant for clients unless they are meant for anything, and have no critical
 *    extension that is not known.
 * 3. Each issuer is an authority by its basic constraints, may sign certificates by its key usage if it has one, and
 *    has as few certificates below it as it allows. Only an authority's certificate of version 1 has no basic
 *    constraints.
 * 4. Signatures with SHA-1 or MD5 are invalid.
 * 5. A certificate that is in the bundle itself needs no signature.
 * 6. At most 100 signatures are checked, and only with keys that an authority vouches for, whatever a client sends.
 *
 * Upstream: `crypto/x509` (Certificate.Verify), which searches from the other end. An authority with name constraints
 * vouches for nobody here, where upstream evaluates them; so does one with critical constraints on policies.
 *
 * @throws {Error} If there is none; the message gives the reason, as far as it is known.
 */
export async function verifyChain(leaf: X509Certificate, options: ChainOptions): Promise<void> {
  const { authorities } = options;
  const search = new ChainSearch(options);
  if (!authorities.some((authority) => authority.equal(leaf))) await search.find(leaf);
  const objection = search.objectionTo(leaf);
  if (objection) throw new Error(`client certificate ${shown(leaf)} ${objection}`);
}

class ChainSearch {
  readonly #options: ChainOptions;
  #checks = 0;
  /** Why a potential signer was rejected. */
  #hint = "";

  constructor(options: ChainOptions) {
    this.#options = options;
  }

  /** @throws {Error} If no authority vouches for `leaf`. */
  async find(leaf: X509Certificate): Promise<void> {
    const isRoot = true;
    let signers = this.#options.authorities.flatMap((certificate) =>
      this.#signer(certificate, { isRoot, left: Infinity })
    );
    let intermediates: readonly X509Certificate[] | undefined;
    while (signers.length > 0) {
      for (const signer of signers) if (await this.#isSignedBy(leaf, signer)) return;
      intermediates ??= this.#intermediates();
      const next: Signer[] = [];
      for (const signer of signers) {
        for (const certificate of intermediates) {
          if (!await this.#isSignedBy(certificate, signer)) continue;
          next.push(...this.#signer(certificate, { isRoot: false, left: signer.left - 1 }));
        }
      }
      signers = next;
    }
    const name = shown(leaf);
    throw new Error(`client certificate ${name} was signed by an unknown authority${this.#hint && ` (${this.#hint})`}`);
  }

  /** Objections that apply anywhere in a chain. */
  objectionTo(certificate: X509Certificate): string | undefined {
    const { x509, nowMs } = this.#options;
    if (nowMs < certificate.notBefore.getTime() || nowMs > certificate.notAfter.getTime()) return "is not valid now";
    const usages = certificate.getExtension(x509.ExtendedKeyUsageExtension)?.usages.map(String) ?? [];
    if (usages.length > 0 && !usages.includes(x509.ExtendedKeyUsage.clientAuth) && !usages.includes(ANY_USAGE)) {
      return "is not for clients";
    }
    const unknown = certificate.extensions.find(({ critical, type }) => critical && !KNOWN_EXTENSIONS.has(type));
    return unknown && `has the critical extension ${unknown.type}, which is not known here`;
  }

  /** `certificate` as a signer, or `undefined` if it cannot be one. */
  #signer(
    certificate: X509Certificate,
    { isRoot, left }: { readonly isRoot: boolean; readonly left: number },
  ): Signer[] {
    let objection: string | undefined;
    try {
      objection = this.#objectionToSigner(certificate, isRoot);
      const most = certificate.getExtension(this.#options.x509.BasicConstraintsExtension)?.pathLength ?? Infinity;
      if (!objection && left >= 0) return [{ certificate, left: Math.min(left, most) }];
    } catch {
      objection = "cannot be read"; // extensions are parsed on access
    }
    this.#hint ||= `${shown(certificate)} ${objection ?? "is one too many below its authority"}`;
    return [];
  }

  #objectionToSigner(certificate: X509Certificate, isRoot: boolean): string | undefined {
    const { BasicConstraintsExtension, KeyUsagesExtension, KeyUsageFlags } = this.#options.x509;
    const constraints = certificate.getExtension(BasicConstraintsExtension);
    const isAuthority = constraints ? constraints.ca : isRoot && isVersion1(certificate);
    const usages = certificate.getExtension(KeyUsagesExtension)?.usages ?? KeyUsageFlags.keyCertSign;
    if (!isAuthority || (usages & KeyUsageFlags.keyCertSign) === 0) return "may not sign certificates";
    return certificate.getExtension(NAME_CONSTRAINTS) ? "has name constraints" : this.objectionTo(certificate);
  }

  async #isSignedBy(certificate: X509Certificate, { certificate: signer }: Signer): Promise<boolean> {
    if (certificate.issuer !== signer.subject) return false;
    const { hash } = certificate.signatureAlgorithm;
    if (hash && BROKEN_HASHES.has(hash.name.toUpperCase())) {
      this.#hint ||= `${shown(certificate)} is signed with ${hash.name}`;
      return false;
    }
    if (++this.#checks > MAX_CHECKS) {
      throw new Error(`more than ${MAX_CHECKS} signatures in a client certificate's chain`);
    }
    return await certificate.verify({ publicKey: signer, signatureOnly: true }).catch(() => false);
  }

  #intermediates(): readonly X509Certificate[] {
    const { x509, intermediates } = this.#options;
    return intermediates().flatMap((der) => {
      try {
        return [new x509.X509Certificate(der)];
      } catch {
        return []; // a malformed one signs nothing
      }
    });
  }
}

/** The certificate's subject for a log line: it comes from a stranger. */
function shown({ subject }: X509Certificate): string {
  return JSON.stringify(subject.length > MAX_SHOWN ? `${subject.slice(0, MAX_SHOWN)}...` : subject);
}

/** In DER, later versions start with the version number, tagged 0xa0. */
function isVersion1({ rawData }: X509Certificate): boolean {
  const der = new Uint8Array(rawData);
  const contentAt = (at: number) => at + (der[at + 1] < 0x80 ? 2 : 2 + (der[at + 1] & 0x7f));
  return der[contentAt(contentAt(0))] !== 0xa0;
}
