import { apiVersionOf, type ResourceClaimTemplate, type ResourceV1ResourceClaim } from "../../api/mod.ts";
import type { Claimant } from "../device_claims/mod.ts";
import type { ClaimantKind } from "./claimants.ts";
import { POD_CLAIM_ANNOTATION } from "./metrics.ts";

/** A name has 63 characters; the API server adds five random ones, after a dash. */
const MAX_BASE = 57;

/**
 * The prefix of a generated claim's name. If the two names are too long, both are truncated in proportion: the API
 * server would only cut the end, so nothing of the claim's name would be left. Upstream may leave nothing of a short
 * pod name beside a long claim name, or a dot before the dash, which the API server always refuses.
 *
 * @example
 * ```ts
 * import { claimNamePrefix } from "./new_claim.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(claimNamePrefix("web-0", "gpu"), "web-0-gpu-");
 * assertEquals(claimNamePrefix("p".repeat(63), "c".repeat(63)), `${"p".repeat(28)}-${"c".repeat(28)}`);
 * ```
 */
export function claimNamePrefix(podName: string, podClaimName: string): string {
  const prefix = `${podName}-${podClaimName}-`;
  if (prefix.length <= MAX_BASE) return prefix;
  const cut = (name: string) => name.slice(0, Math.trunc(name.length * MAX_BASE / prefix.length));
  const start = cut(podName) || podName[0];
  return `${start.replace(/\.$/, "")}-${cut(podClaimName)}`;
}

/** The claim to create for a request of a pod or group. */
export function newClaim(
  { claimant, kind: { resource } }: { readonly claimant: Claimant; readonly kind: ClaimantKind },
  podClaimName: string,
  { spec }: ResourceClaimTemplate,
): ResourceV1ResourceClaim {
  const { namespace, name = "", uid = "" } = claimant.metadata ?? {};
  return {
    metadata: {
      namespace,
      generateName: claimNamePrefix(name, podClaimName),
      labels: spec.metadata?.labels,
      annotations: { ...spec.metadata?.annotations, [POD_CLAIM_ANNOTATION]: podClaimName },
      // It does not block its owner's deletion.
      ownerReferences: [{ apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, controller: true }],
    },
    spec: spec.spec,
  };
}
