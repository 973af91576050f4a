import { encodeBase64 } from "@std/encoding/base64";
import { stringify } from "@std/yaml";
import type { KeyPair } from "./certificate_authority.ts";

/** The content of a kubeconfig. */
export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  /** The bearer token; with neither it nor a certificate, requests have no credentials. */
  readonly token?: string;
  /** The authority of the server's certificate, in PEM. Required for `https`. */
  readonly certificateAuthority?: string;
  /** The user's certificate. */
  readonly clientCertificate?: KeyPair;
  readonly name?: string;
}

/**
 * A self-contained kubeconfig for an embedded server.
 *
 * @example
 * ```ts
 * import { kubeconfigText } from "./mod.ts";
 * import { assertStringIncludes } from "@std/assert";
 *
 * assertStringIncludes(kubeconfigText({ server: "http://127.0.0.1:8001" }), "current-context: kubeloop-dev");
 * ```
 */
export function kubeconfigText(
  { server, token, certificateAuthority, clientCertificate, name = "kubeloop-dev" }: KubeconfigOptions,
): string {
  const cluster = {
    server,
    ...certificateAuthority ? { "certificate-authority-data": encodeBase64(certificateAuthority) } : {},
  };
  const user = {
    ...token === undefined ? {} : { token },
    ...clientCertificate
      ? {
        "client-certificate-data": encodeBase64(clientCertificate.cert),
        "client-key-data": encodeBase64(clientCertificate.key),
      }
      : {},
  };
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  });
}
