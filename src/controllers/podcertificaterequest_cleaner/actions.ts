import { objectKey, type PodCertificateRequest, PODCERTIFICATEREQUESTS } from "../../api/mod.ts";
import type { Logger } from "../../base/mod.ts";
import { type Client, isNotFound } from "../../client/mod.ts";
import { refOf, serverSays } from "../running/mod.ts";

/** Deletes a request, if it is still the same; what fails is logged, and retried in the next pass. */
export async function remove(
  request: PodCertificateRequest,
  { client, log }: { readonly client: Pick<Client, "delete">; readonly log: Logger },
): Promise<void> {
  try {
    await client.delete(PODCERTIFICATEREQUESTS, refOf(request), { preconditions: { uid: request.metadata?.uid } });
  } catch (err) {
    if (serverSays(err, isNotFound)) return;
    log.error("Error while attempting to clean PodCertificateRequest", { pcr: objectKey(request), err });
  }
}
