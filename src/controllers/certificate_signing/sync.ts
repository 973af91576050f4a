import type { CertificateSigningRequest } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { certificateRequestIn, hasFailed, isApproved } from "../certificates/mod.ts";
import { giveUp, issue } from "./actions.ts";
import type { SigningContext } from "./context.ts";
import { sign } from "./sign.ts";

/**
 * Issues an approved request's certificate, or marks it as failed.
 *
 * @throws {Error} If a retry may help: a malformed request, an expired authority, a refused write.
 */
export async function syncSigning(object: CertificateSigningRequest, context: SigningContext): Promise<void> {
  const { spec } = object;
  if (!spec || spec.signerName !== context.signer.name || !isApproved(object) || hasFailed(object)) return;
  const request = certificateRequestIn(object);
  const objection = context.signer.objection(request, spec.usages ?? []);
  if (objection !== undefined) return await giveUp(object, objection, context);
  let certificate: string;
  try {
    certificate = await sign(request, spec, context);
  } catch (error) {
    throw new Error(`error auto signing csr: ${errorText(error)}`, { cause: error });
  }
  await issue(object, certificate, context);
}
