import type { ClientConfig } from "../client/mod.ts";

const STORE = "DENO_TLS_CA_STORE";
const FILE = "SSL_CERT_FILE";

/**
 * Where `config` names no authority, has this process trust those that its machine trusts, found where upstream's programs look
 * for them (`SSL_CERT_FILE`, `SSL_CERT_DIR`, the usual places), and not a list that was compiled in; unless that was asked for.
 * Otherwise they would only take memory: every connection has its own copy.
 *
 * The runtime reads the variable when it opens the first connection that is verified. If `SSL_CERT_FILE` cannot be read it would
 * open none at all, even where a kubeconfig names the authority: then the list that was compiled in stays.
 */
export function trustSystemRoots(config: ClientConfig): void {
  if (config.ca || config.insecure) return;
  const isVisible = [STORE, FILE].every((variable) =>
    Deno.permissions.querySync({ name: "env", variable }).state === "granted"
  );
  if (isVisible && !Deno.env.get(STORE) && isReadable(Deno.env.get(FILE))) Deno.env.set(STORE, "system");
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
