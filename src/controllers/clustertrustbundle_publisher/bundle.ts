import type { CertificatesV1beta1ClusterTrustBundle as ClusterTrustBundle } from "../../api/mod.ts";
import { digestOf, hexOf } from "../../x509/mod.ts";

/** The signer of these bundles. */
export const SIGNER = "kubernetes.io/kube-apiserver-serving";

const HASH_BYTES = 12;

/** The changes to the signer's bundles. */
export interface Publication {
  /** Written first, so that selecting bundles by signer always finds one. */
  readonly write?: { readonly verb: "create" | "update"; readonly bundle: ClusterTrustBundle };
  /** The names of all other bundles. */
  readonly superfluous: readonly string[];
}

/** The name of the bundle with this text, with a hash of its exact bytes. */
export function bundleName(text: string): string {
  const hash = hexOf(digestOf("sha256", new TextEncoder().encode(text)).subarray(0, HASH_BYTES));
  return `${SIGNER.replaceAll("/", ":")}:${hash}`;
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
