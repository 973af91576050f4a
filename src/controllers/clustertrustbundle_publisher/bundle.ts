import type { CertificatesV1beta1ClusterTrustBundle as ClusterTrustBundle } from "../../api/mod.ts";

/** Whose bundles these are. */
export const SIGNER = "kubernetes.io/kube-apiserver-serving";

const HASH_BYTES = 12;

/** What is to be done about the bundles of the signer. */
export interface Publication {
  /** Comes first: whoever selects bundles by signer always finds one. */
  readonly write?: { readonly verb: "create" | "update"; readonly bundle: ClusterTrustBundle };
  /** The names of bundles that are not the one. */
  readonly superfluous: readonly string[];
}

/** The name of the bundle with this text: its hash is over the bytes as they are. */
export async function bundleName(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const bytes = [...new Uint8Array(digest, 0, HASH_BYTES)];
  return `${SIGNER.replaceAll("/", ":")}:${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** @param present The signer's bundles. */
export function publication(
  present: readonly ClusterTrustBundle[],
  { name, text }: { readonly name: string; readonly text: string },
): Publication {
  const superfluous = present.map(({ metadata }) => metadata?.name ?? "").filter((other) => other !== name);
  const current = present.find(({ metadata }) => metadata?.name === name);
  if (!current) {
    const bundle = { metadata: { name }, spec: { signerName: SIGNER, trustBundle: text } };
    return { write: { verb: "create", bundle }, superfluous };
  }
  if (current.spec.trustBundle === text) return { superfluous };
  const bundle = { ...current, spec: { ...current.spec, trustBundle: text } };
  return { write: { verb: "update", bundle }, superfluous };
}
