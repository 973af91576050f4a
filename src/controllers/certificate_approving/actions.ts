import { type CertificateSigningRequest, CERTIFICATESIGNINGREQUESTS, SUBJECTACCESSREVIEWS } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { type CertificateClient, withOneMore } from "../certificates/mod.ts";
import type { Recognizer } from "./recognizers.ts";

/** Asks whether the requester may make such a request. */
export async function mayRequest(
  client: CertificateClient,
  { spec }: CertificateSigningRequest,
  { permission }: Recognizer,
): Promise<boolean> {
  const { username, uid, groups, extra } = spec ?? {};
  const review = await client.create(SUBJECTACCESSREVIEWS, {
    spec: { user: username, uid, groups, extra, resourceAttributes: permission },
  });
  return review.status?.allowed === true;
}

/** Approves a request. */
export async function approve(
  client: CertificateClient,
  request: CertificateSigningRequest,
  { message }: Recognizer,
): Promise<void> {
  const approved = withOneMore(request, { type: "Approved", status: "True", reason: "AutoApproved", message });
  try {
    await client.update(CERTIFICATESIGNINGREQUESTS, approved, { subresource: "approval" });
  } catch (error) {
    throw new Error(`error updating approval for csr: ${errorText(error)}`, { cause: error });
  }
}
