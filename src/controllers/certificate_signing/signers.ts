/** What each signer signs. Upstream: `pkg/controller/certificates/signer/signer.go`. */
import type { CertificateRequest } from "../../x509/mod.ts";
import { kubeletClientObjection, kubeletServingObjection } from "../certificates/mod.ts";

/** A signer's objection to a request, in upstream's words. */
export type Objection = (request: CertificateRequest, usages: readonly string[]) => string | undefined;

export interface Signer {
  /** Its name in requests. */
  readonly name: string;
  /** The part of its flags' names. */
  readonly flag: string;
  /** Upstream's name for its pair of files in flag errors. */
  readonly label: string;
  readonly objection: Objection;
}

/** In the order in which upstream starts them. */
export const SIGNERS = [
  {
    name: "kubernetes.io/kubelet-serving",
    flag: "kubelet-serving",
    label: "cluster-signing-kubelet-serving",
    objection: kubeletServingObjection,
  },
  {
    name: "kubernetes.io/kube-apiserver-client-kubelet",
    flag: "kubelet-client",
    label: "cluster-signing-kube-apiserver-client",
    objection: kubeletClientObjection,
  },
  {
    name: "kubernetes.io/kube-apiserver-client",
    flag: "kube-apiserver-client",
    label: "cluster-signing-kube-apiserver",
    objection: (_request, usages) => clientUsagesObjection(usages),
  },
  {
    name: "kubernetes.io/legacy-unknown",
    flag: "legacy-unknown",
    label: "cluster-signing-legacy-unknown",
    objection: () => undefined,
  },
] as const satisfies readonly Signer[];

function clientUsagesObjection(usages: readonly string[]): string | undefined {
  const allowed = ["digital signature", "key encipherment", "client auth"];
  const foreign = usages.find((usage) => !allowed.includes(usage));
  if (foreign !== undefined) return `invalid usage for client certificate: ${foreign}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
}
