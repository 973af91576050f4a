import type { createSecureContext, SecureContext } from "node:tls";

/** A certificate chain and its key, in PEM. */
export interface CertificateAndKey {
  readonly cert: string;
  readonly key: string;
}

/** Certificates for connections whose client asks for one of these names; `*.` at the beginning stands for one label. */
export interface NamedCertificate extends CertificateAndKey {
  readonly names: readonly string[];
}

/** What a server shows its clients: its own certificate, unless they ask for a name that has another. */
export interface ServerCertificates {
  readonly own: CertificateAndKey;
  /** The first that has a name counts. */
  readonly named?: readonly NamedCertificate[];
}

/** Finds the certificate for the name that a client asks for. */
export class CertificatesByName {
  readonly #create: typeof createSecureContext;
  #contexts: ReadonlyMap<string, SecureContext> = new Map();

  /** @throws {Error} If a certificate and its key cannot be used. */
  constructor(create: typeof createSecureContext, named: ServerCertificates["named"]) {
    this.#create = create;
    this.use(named);
  }

  /** Replaces all of them. @throws {Error} If a certificate and its key cannot be used; the old ones stay. */
  use(named: ServerCertificates["named"] = []): void {
    const contexts = new Map<string, SecureContext>();
    for (const { cert, key, names } of named) {
      const context = this.#create({ cert, key });
      for (const name of names) if (!contexts.has(name)) contexts.set(name, context);
    }
    this.#contexts = contexts;
  }

  /** To be a server's `SNICallback`. */
  readonly choose = (asked: string, chosen: (error: Error | null, context?: SecureContext) => void): void => {
    const name = asked.toLowerCase().replace(/\.$/, "");
    chosen(null, this.#contexts.get(name) ?? this.#contexts.get(name.replace(/^[^.]+/, "*")));
  };
}
