import { type CertificateSigningRequest, CERTIFICATESIGNINGREQUESTS, formatTime } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { withOneMore } from "../certificates/mod.ts";
import type { SigningContext } from "./context.ts";

/** Marks a request as failed, with the reason. */
export async function giveUp(
  request: CertificateSigningRequest,
  message: string,
  { client, world }: SigningContext,
): Promise<void> {
  const failed = withOneMore(request, {
    type: "Failed",
    status: "True",
    reason: "SignerValidationFailure",
    message,
    lastUpdateTime: formatTime(world.clock.wallMs()),
  });
  try {
    await client.updateStatus(CERTIFICATESIGNINGREQUESTS, failed);
  } catch (error) {
    throw new Error(`error adding failure condition for csr: ${errorText(error)}`, { cause: error });
  }
}

/** Writes the certificate (PEM) to the request. */
export async function issue(
  request: CertificateSigningRequest,
  certificate: string,
  { client }: SigningContext,
): Promise<void> {
  const issued = { ...request, status: { ...request.status, certificate: btoa(certificate) } };
  try {
    await client.updateStatus(CERTIFICATESIGNINGREQUESTS, issued);
  } catch (error) {
    throw new Error(`error updating signature for csr: ${errorText(error)}`, { cause: error });
  }
}
