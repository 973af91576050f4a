import type { CertificateSigningRequest } from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import { readCertificateRequest } from "../../../x509/mod.ts";
import { MASTERS } from "../access/mod.ts";
import { attempt } from "../base/mod.ts";
import { mayFor } from "../kinds/mod.ts";
import { type Admission, refusal } from "../operations/mod.ts";

const CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client";

/** Only who may approve for the signer can decide. Upstream: `plugin/pkg/admission/certificates/approval`. */
export function allowApproval(admission: Admission<CertificateSigningRequest>): void {
  const signer = admission.old?.spec?.signerName ?? "";
  if (mayFor(signer, "approve", admission.operation)) return;
  throw refusal(admission, `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`);
}

/** Only who may sign for the signer can set the certificate. Upstream: `plugin/pkg/admission/certificates/signing`. */
export function allowSigning(admission: Admission<CertificateSigningRequest>): void {
  const { object, old } = admission;
  const { certificate, conditions } = object.status ?? {};
  if (certificate === old?.status?.certificate && deepEqual(conditions, old?.status?.conditions)) return;
  const signer = old?.spec?.signerName ?? "";
  if (mayFor(signer, "sign", admission.operation)) return;
  throw refusal(admission, `user not permitted to sign requests with signerName ${JSON.stringify(signer)}`);
}

/** No certificate may make its holder an administrator. Upstream: `certificates/subjectrestriction`. */
export function keepMastersOut(admission: Admission<CertificateSigningRequest>): void {
  const { spec } = admission.object;
  if (spec?.signerName !== CLIENT_SIGNER) return;
  // Validation reports a request that is unreadable.
  const request = attempt(() => readCertificateRequest(atob(spec.request ?? "")));
  if (!request?.subject.O.includes(MASTERS)) return;
  throw refusal(admission, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`);
}
