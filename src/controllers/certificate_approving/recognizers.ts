import type { CertificateSigningRequest, SubjectAccessReview } from "../../api/mod.ts";
import { type CertificateRequest, commonNameOf } from "../../x509/mod.ts";
import { kubeletClientObjection } from "../certificates/mod.ts";

type ResourceAttributes = NonNullable<SubjectAccessReview["spec"]["resourceAttributes"]>;

/** A kind of requests that are approved by themselves, if who made them may make such. */
export interface Recognizer {
  readonly permission: ResourceAttributes & { readonly subresource: string };
  /** Of the condition. */
  readonly message: string;
  recognizes(object: CertificateSigningRequest, request: CertificateRequest): boolean;
}

/** In the order in which they are tried: a node that asks for itself needs the lesser right. */
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
