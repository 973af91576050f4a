import type { CertificateSigningRequest, SubjectAccessReview } from "../../api/mod.ts";
import { type CertificateRequest, commonNameOf } from "../../x509/mod.ts";
import { kubeletClientObjection } from "../certificates/mod.ts";

type ResourceAttributes = NonNullable<SubjectAccessReview["spec"]["resourceAttributes"]>;

/** A kind of request that is approved automatically if the requester has the right. */
export interface Recognizer {
  readonly permission: ResourceAttributes & { readonly subresource: string };
  /** The condition's message. */
  readonly message: string;
  recognizes(object: CertificateSigningRequest, request: CertificateRequest): boolean;
}

/** In the order to try: a node that requests for itself needs the lesser right. */
export const RECOGNIZERS: readonly Recognizer[] = [
  {
    permission: permissionFor("selfnodeclient"),
    message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
    recognizes: (object, request) =>
      (object.spec?.username ?? "") === commonNameOf(request.subject) && isNodeClient(object, request),
  },
  {
    permission: permissionFor("nodeclient"),
    message: "Auto approving kubelet client certificate after SubjectAccessReview.",
    recognizes: isNodeClient,
  },
];

function isNodeClient({ spec }: CertificateSigningRequest, request: CertificateRequest): boolean {
  return spec?.signerName === "kubernetes.io/kube-apiserver-client-kubelet" &&
    kubeletClientObjection(request, spec.usages ?? []) === undefined;
}

function permissionFor(subresource: string): Recognizer["permission"] {
  return {
    group: "certificates.k8s.io",
    version: "*",
    resource: "certificatesigningrequests",
    subresource,
    verb: "create",
  };
}
