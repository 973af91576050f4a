import { type CertificateSigningRequest, CERTIFICATESIGNINGREQUESTS } from "../../api/mod.ts";
import type { Logger } from "../../base/mod.ts";
import type { Client } from "../../client/mod.ts";

/** Deletes a request; what fails is logged, and retried in the next pass. */
export async function remove(
  request: CertificateSigningRequest,
  reason: string,
  { client, log }: { readonly client: Pick<Client, "delete">; readonly log: Logger },
): Promise<void> {
  const { name = "", uid } = request.metadata ?? {};
  log.info(reason, { csr: name });
  try {
    await client.delete(CERTIFICATESIGNINGREQUESTS, { name }, { preconditions: { uid } });
  } catch (err) {
    log.error("Error while attempting to clean CSR", { csr: name, err });
  }
}
