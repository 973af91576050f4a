import { errorText } from "../../base/mod.ts";
import { isControlledBy, type Pod, type PodResourceClaim, type ResourceV1ResourceClaim } from "../../api/mod.ts";
import { isPodTerminal } from "../../rules/mod.ts";
import { byKey } from "../running/mod.ts";
import { applyClaimNames, createClaim, reserve } from "./actions.ts";
import { type ClaimName, claimNames, foreignClaimText, namelessText } from "../device_claims/mod.ts";
import type { ClaimContext } from "./context.ts";
import { POD_CLAIM_ANNOTATION } from "./metrics.ts";
import { newClaim } from "./new_claim.ts";
import { lacksReservation } from "./pod_needs.ts";
import { templateFor } from "./templates.ts";

/**
 * Sees to it that a pod has its claims, and may use them if it came to its node past the scheduler.
 * Upstream: `pkg/controller/resourceclaim/controller.go` (syncPod).
 *
 * @param key `namespace/name`.
 * @param signal Ends a sync of many claims.
 * @throws {Error} If the key is to be tried again.
 */
export async function syncPod(key: string, context: ClaimContext, signal: AbortSignal): Promise<void> {
  const pod = byKey(context.pods, key);
  if (!pod || pod.metadata?.deletionTimestamp || isPodTerminal(pod)) return;
  const made = await ensureClaims(pod, context, signal);
  const named = made.size > 0 ? await tellNames(pod, made, context) : pod;
  if (pod.spec?.nodeName) await reserveAll(named, context, signal); // else that is for the scheduler
}

/** The names of claims that the pod's status does not have yet, by what the pod calls them. */
async function ensureClaims(pod: Pod, context: ClaimContext, signal: AbortSignal): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  const nameOf = claimNames(pod);
  const orphans = orphansOf(pod, context);
  for (const podClaim of pod.spec?.resourceClaims ?? []) {
    signal.throwIfAborted();
    try {
      if (!isMissing(pod, podClaim, nameOf(podClaim), context)) continue;
      const claim = orphans.get(podClaim.name) ?? await create(pod, podClaim, context);
      made.set(podClaim.name, claim.metadata?.name ?? "");
    } catch (error) {
      const { namespace, name } = pod.metadata ?? {};
      const what = `PodResourceClaim ${podClaim.name}: ${errorText(error)}`;
      context.recorder.event(pod, "Warning", "FailedResourceClaimCreation", what);
      throw new Error(`pod ${namespace}/${name}, ${what}`, { cause: error });
    }
  }
  return made;
}

/** Claims of which the pod may not know, because of a crash or a failed write, by what the pod calls them. */
function orphansOf({ metadata }: Pod, { created }: ClaimContext): ReadonlyMap<string, ResourceV1ResourceClaim> {
  const orphans = new Map<string, ResourceV1ResourceClaim>();
  for (const claim of created.of(metadata?.uid ?? "")) {
    const podClaimName = claim.metadata?.annotations?.[POD_CLAIM_ANNOTATION];
    if (podClaimName !== undefined && !orphans.has(podClaimName)) orphans.set(podClaimName, claim);
  }
  return orphans;
}

/** Whether a claim is to be made from a template. @throws {Error} If nobody knows what claim is meant. */
function isMissing(pod: Pod, podClaim: PodResourceClaim, found: ClaimName, { claims, world }: ClaimContext): boolean {
  if (found.type === "unknown") {
    throw new Error(`checking for claim before creating it: ${namelessText(pod, podClaim, "unknown")}`);
  }
  if (found.type === "pending") return true;
  if (found.type === "unneeded" || !found.isGenerated) return false; // or its user has yet to create it
  const claim = claims.get(pod.metadata?.namespace, found.name);
  if (claim && isControlledBy(claim, pod)) return false;
  if (claim) world.log.error("Claim is no longer the pod's, creating a new one", { err: foreignClaimText(claim, pod) });
  return true;
}

async function create(pod: Pod, podClaim: PodResourceClaim, context: ClaimContext): Promise<ResourceV1ResourceClaim> {
  const template = templateFor(pod, podClaim.resourceClaimTemplateName ?? "", context);
  return await createClaim(newClaim(pod, podClaim.name, template), context);
}

/** @returns The pod as the API server has it now. */
async function tellNames(pod: Pod, made: ReadonlyMap<string, string>, context: ClaimContext): Promise<Pod> {
  const names = new Map<string, string>();
  const nameOf = claimNames(pod);
  for (const podClaim of pod.spec?.resourceClaims ?? []) {
    const found = nameOf(podClaim);
    if (found.type === "named" && found.isGenerated) names.set(podClaim.name, found.name);
  }
  for (const [podClaimName, name] of made) names.set(podClaimName, name);
  try {
    return await applyClaimNames(pod, names, context);
  } catch (error) {
    const { namespace, name } = pod.metadata ?? {};
    throw new Error(`update pod ${namespace}/${name} ResourceClaimStatuses: ${errorText(error)}`, { cause: error });
  }
}

async function reserveAll(pod: Pod, { claims, client }: ClaimContext, signal: AbortSignal): Promise<void> {
  const { namespace, name = "", uid = "" } = pod.metadata ?? {};
  const nameOf = claimNames(pod);
  for (const podClaim of pod.spec?.resourceClaims ?? []) {
    signal.throwIfAborted();
    const found = nameOf(podClaim);
    if (found.type === "unneeded") continue;
    if (found.type !== "named") throw new Error(namelessText(pod, podClaim, found.type));
    const claim = claims.get(namespace, found.name);
    if (!claim) return; // once the cache shows it the pod is looked at again
    if (found.isGenerated && !isControlledBy(claim, pod)) throw new Error(foreignClaimText(claim, pod));
    if (lacksReservation(pod, claim)) await reserve(claim, { resource: "pods", name, uid }, { client });
  }
}
