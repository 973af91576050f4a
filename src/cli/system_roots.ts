import type { ClientConfig } from "../client/mod.ts";

const STORE = "DENO_TLS_CA_STORE";
const FILE = "SSL_CERT_FILE";

/**
 * If `config` names no authority, makes this process trust its machine's authorities instead of the compiled-in list,
 * unless that was requested. They are searched for where upstream's programs look (`SSL_CERT_FILE`, `SSL_CERT_DIR`, the
 * usual places). If `config` names one, they would only use memory: every connection has its own copy.
 *
 * The runtime reads the variable when it opens the first verified connection. If it could not read `SSL_CERT_FILE`, it
 * would open none at all, even if a kubeconfig names the authority; the compiled-in list is kept then.
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
