import { encodeBase64Url } from "@std/encoding/base64url";
import type { SigningToken } from "./signing_tokens.ts";

const HMAC = { name: "HMAC", hash: "SHA-256" };

/**
 * A JSON Web Signature with detached content (RFC 7515, appendix F), byte for byte as `kubeadm join` computes it.
 *
 * @param content What is signed.
 *
 * Upstream: `k8s.io/cluster-bootstrap/token/jws`.
 */
export async function detachedSignature(content: string, { id, secret }: SigningToken): Promise<string> {
  const encode = (text: string) => encodeBase64Url(new TextEncoder().encode(text));
  const header = encode(JSON.stringify({ alg: "HS256", kid: id }));
  const key = await crypto.subtle.importKey("raw", secret, HMAC, false, ["sign"]);
  const signature = await crypto.subtle.sign(HMAC, key, new TextEncoder().encode(`${header}.${encode(content)}`));
  return `${header}..${encodeBase64Url(signature)}`;
}
