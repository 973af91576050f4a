import type { createSecureContext, SecureContext } from "node:tls";

/** A certificate chain and its key, in PEM. */
export interface CertificateAndKey {
  readonly cert: string;
  readonly key: string;
}

/** A certificate for clients that request one of these names; a leading `*.` stands for one label. */
export interface NamedCertificate extends CertificateAndKey {
  readonly names: readonly string[];
}

/** A server's certificates: its own, and others by requested name. */
export interface ServerCertificates {
  readonly own: CertificateAndKey;
  /** The first match wins. */
  readonly named?: readonly NamedCertificate[];
}

/** Finds the certificate for the name that a client requests. */
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

  /** A server's `SNICallback`. */
  readonly choose = (asked: string, chosen: (error: Error | null, context?: SecureContext) => void): void => {
    const name = asked.toLowerCase().replace(/\.$/, "");
    chosen(null, this.#contexts.get(name) ?? this.#contexts.get(name.replace(/^[^.]+/, "*")));
  };
}
