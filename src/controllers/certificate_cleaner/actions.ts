import { type CertificateSigningRequest, CERTIFICATESIGNINGREQUESTS } from "../../api/mod.ts";
import type { Logger } from "../../base/mod.ts";
import type { Client } from "../../client/mod.ts";
import { reasonToDelete } from "./sync.ts";

/** Deletes a request if it is old; what fails is logged, and retried in the next pass. */
export async function clean(
  request: CertificateSigningRequest,
  nowMs: number,
  { client, log }: { readonly client: Pick<Client, "delete">; readonly log: Logger },
): Promise<void> {
  const { name = "", uid } = request.metadata ?? {};
  try {
    const reason = reasonToDelete(request, nowMs);
    if (reason === undefined) return;
    log.info(reason, { csr: name });
    await client.delete(CERTIFICATESIGNINGREQUESTS, { name }, { preconditions: { uid } });
  } catch (err) {
    log.error("Error while attempting to clean CSR", { csr: name, err });
  }
}
