import {
  apiVersionOf,
  type CertificatesV1beta1ClusterTrustBundle as ClusterTrustBundle,
  CLUSTERTRUSTBUNDLES,
  CLUSTERTRUSTBUNDLES_V1ALPHA1,
  type Resource,
} from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { type Discovery, isNotFound } from "../../client/mod.ts";
import { serverSays } from "../running/mod.ts";

/** The newest first. The published fields are the same in both. */
const VERSIONS: readonly Resource<ClusterTrustBundle>[] = [
  CLUSTERTRUSTBUNDLES,
  CLUSTERTRUSTBUNDLES_V1ALPHA1,
];

/**
 * The newest version of bundles that the API server serves, if any.
 *
 * @throws {Error} If discovery fails.
 */
export async function servedVersion(
  discovery: Pick<Discovery, "resourcesOf">,
): Promise<Resource<ClusterTrustBundle> | undefined> {
  for (const resource of VERSIONS) {
    try {
      const served = await discovery.resourcesOf(resource);
      if (served.some(({ plural }) => plural === resource.plural)) return resource;
    } catch (error) {
      if (serverSays(error, isNotFound)) continue;
      const failure = `discovery failed for ClusterTrustBundle: ${apiVersionOf(resource)}: ${errorText(error)}`;
      throw new Error(failure, { cause: error });
    }
  }
  return undefined;
}
