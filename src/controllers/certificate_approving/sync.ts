import type { CertificateSigningRequest } from "../../api/mod.ts";
import { type CertificateClient, certificateRequestIn, isDecided } from "../certificates/mod.ts";
import { approve, mayRequest } from "./actions.ts";
import { RECOGNIZERS } from "./recognizers.ts";

/** The requester does not have the right yet: retried, but not worth a log line. */
export class NotAllowedError extends Error {
  override readonly name = "NotAllowedError";
}

/**
 * Approves a kubelet's request for a client certificate, if the requester has the right.
 *
 * @throws {NotAllowedError} If it does not.
 * @throws {MalformedError} If the request is malformed.
 */
export async function syncApproval(client: CertificateClient, object: CertificateSigningRequest): Promise<void> {
  if (isDecided(object)) return;
  const request = certificateRequestIn(object);
  const recognizers = RECOGNIZERS.filter((recognizer) => recognizer.recognizes(object, request));
  for (const recognizer of recognizers) {
    if (await mayRequest(client, object, recognizer)) return await approve(client, object, recognizer);
  }
  if (recognizers.length === 0) return;
  const tried = recognizers.map(({ permission }) => permission.subresource).join(" ");
  throw new NotAllowedError(
    `recognized csr ${JSON.stringify(object.metadata?.name)} as [${tried}] but subject access review was not approved`,
  );
}
