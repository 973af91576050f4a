import type { CertificateSigningRequest } from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import { readCertificateRequest } from "../../../x509/mod.ts";
import { type Admission, refusal } from "../operations/mod.ts";

const CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client";
const MASTERS = "system:masters";

/** Only who may approve for the signer decides. Upstream: `plugin/pkg/admission/certificates/approval`. */
export function allowApproval(admission: Admission<CertificateSigningRequest>): void {
  const signer = admission.old?.spec?.signerName ?? "";
  if (isAuthorized(admission, "approve", signer)) return;
  throw refusal(admission, `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`);
}

/** Only who may sign for the signer gives a certificate. Upstream: `plugin/pkg/admission/certificates/signing`. */
export function allowSigning(admission: Admission<CertificateSigningRequest>): void {
  const { object, old } = admission;
  const { certificate, conditions } = object.status ?? {};
  if (certificate === old?.status?.certificate && deepEqual(conditions, old?.status?.conditions)) return;
  const signer = old?.spec?.signerName ?? "";
  if (isAuthorized(admission, "sign", signer)) return;
  throw refusal(admission, `user not permitted to sign requests with signerName ${JSON.stringify(signer)}`);
}

/** Permission for one signer, or for all of its domain. Upstream: `pkg/registry/certificates/certauthorization`. */
function isAuthorized({ operation: { state, user } }: Admission, verb: string, signer: string): boolean {
  const [domain] = signer.split("/");
  return [signer, `${domain}/*`].some((name) =>
    state.authorize({ user, verb, group: "certificates.k8s.io", resource: "signers", name }).allowed
  );
}

/** Nobody becomes an administrator through a certificate. Upstream: `certificates/subjectrestriction`. */
export function keepMastersOut(admission: Admission<CertificateSigningRequest>): void {
  const { spec } = admission.object;
  if (spec?.signerName !== CLIENT_SIGNER || !organizationsIn(spec.request ?? "").includes(MASTERS)) return;
  throw refusal(admission, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`);
}

/** The groups that the request's subject claims; none where it cannot be read, which validation says. */
function organizationsIn(request: string): readonly string[] {
  try {
    return readCertificateRequest(atob(request)).subject.O;
  } catch {
    return [];
  }
}
