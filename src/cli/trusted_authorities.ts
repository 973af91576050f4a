import type { ClientConfig } from "../client/mod.ts";

const STORE = "DENO_TLS_CA_STORE";
const FILE = "SSL_CERT_FILE";

/** A list of no stores: nobody is trusted but whom a connection names. */
const NOBODY = ",";

/**
 * Makes this process trust the authority that `config` names and no other, or those of its machine if it names none, as
 * upstream's programs do. Of several configurations, one that names none decides. Does nothing if `DENO_TLS_CA_STORE` says
 * otherwise.
 *
 * The runtime reads that variable when it opens the first verified connection, and each connection has its own copy of
 * everybody who is trusted.
 */
export function trustAuthorityOf(config: ClientConfig): void {
  if (!config.ca && !config.insecure) return trustMachine();
  if (isVisible() && !Deno.env.get(STORE)) Deno.env.set(STORE, NOBODY);
}

/**
 * Makes this process also trust the authorities of its machine. They are searched for where upstream's programs look
 * (`SSL_CERT_FILE`, `SSL_CERT_DIR`, the usual places). If the runtime could not read `SSL_CERT_FILE`, it would open no connection
 * at all, so the compiled-in list is used then.
 */
export function trustMachine(): void {
  if (!isVisible()) return;
  const stores = Deno.env.get(STORE);
  if (stores && stores !== NOBODY) return;
  Deno.env.set(STORE, isReadable(Deno.env.get(FILE)) ? "system" : "mozilla");
}

function isVisible(): boolean {
  return [STORE, FILE].every((variable) => Deno.permissions.querySync({ name: "env", variable }).state === "granted");
}

function isReadable(path: string | undefined): boolean {
  if (path === undefined) return true;
  try {
    Deno.openSync(path).close();
    return true;
  } catch {
    return false;
  }
}
