import type { CertificatesV1beta1ClusterTrustBundle as ClusterTrustBundle, Resource } from "../../api/mod.ts";
import type { Logger } from "../../base/mod.ts";
import { type Client, isNotFound } from "../../client/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { Publication } from "./bundle.ts";

/** The publisher's clients. */
export interface Writing {
  readonly client: Pick<Client, "create" | "update" | "delete">;
  readonly log: Logger;
  /** In the version that the API server serves. */
  readonly resource: Resource<ClusterTrustBundle>;
}

/**
 * Carries out a publication. A bundle that cannot be deleted does not keep others from being deleted.
 *
 * @throws {StatusError} The last error of the deletions, or that of the write.
 */
export async function publish(
  { write, superfluous }: Publication,
  { client, log, resource }: Writing,
): Promise<void> {
  if (write) await client[write.verb](resource, write.bundle);
  let failure: unknown;
  for (const name of superfluous) {
    try {
      await client.delete(resource, { name });
    } catch (err) {
      if (serverSays(err, isNotFound)) continue;
      log.error("failed to remove a cluster trust bundle", { bundleName: name, err });
      failure = err;
    }
  }
  if (failure !== undefined) throw failure;
}
