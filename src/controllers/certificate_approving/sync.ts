import type { CertificateSigningRequest } from "../../api/mod.ts";
import { type CertificateClient, certificateRequestIn, isDecided } from "../certificates/mod.ts";
import { approve, mayRequest } from "./actions.ts";
import { RECOGNIZERS } from "./recognizers.ts";

/** Who made a request may not make such yet: tried again, but no failure worth a line. */
export class NotAllowedError extends Error {
  override readonly name = "NotAllowedError";
}

/**
 * Approves a request of a kubelet for a client certificate, if who made it may make such.
 *
 * @throws {NotAllowedError} If it may not.
 * @throws {MalformedError} If the request cannot be read.
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
