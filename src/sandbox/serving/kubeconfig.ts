import { encodeBase64 } from "@std/encoding/base64";
import { stringify } from "@std/yaml";
import type { KeyPair } from "./certificate_authority.ts";

/** What a kubeconfig says. */
export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  /** The bearer token; without it, and without a certificate, requests carry no credentials. */
  readonly token?: string;
  /** In PEM: by it the server is known. Needed for `https`. */
  readonly certificateAuthority?: string;
  /** Says who sends requests. */
  readonly clientCertificate?: KeyPair;
  readonly name?: string;
}

/**
 * A kubeconfig for an embedded server, with everything in it: it refers to no other file.
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
