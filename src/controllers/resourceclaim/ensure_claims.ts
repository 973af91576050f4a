import { objectKey, type PodGroup, type PodResourceClaim, type ResourceV1ResourceClaim } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { type Claimant, type ClaimName, claimNames, foreignClaimText, isClaimFor } from "../device_claims/mod.ts";
import { applyClaimNames, createClaim } from "./actions.ts";
import { type ClaimantKind, isShared, namelessText } from "./claimants.ts";
import type { ClaimContext } from "./context.ts";
import { POD_CLAIM_ANNOTATION } from "./metrics.ts";
import { newClaim } from "./new_claim.ts";
import { templateFor } from "./templates.ts";

/** The claimant whose claims to ensure. */
export interface Asking<T extends Claimant = Claimant> {
  readonly claimant: T;
  readonly kind: ClaimantKind;
  /** A pod's group, which creates the claims that both request. */
  readonly group?: PodGroup;
}

/**
 * Creates the missing claims of a pod or group from templates, and names them in its status.
 * Upstream: `pkg/controller/resourceclaim/controller.go` (handleClaim, handlePodGroupClaim).
 *
 * @param signal Stops creating claims.
 * @returns The claimant with the names of its claims.
 * @throws {Error} If a claim could not be created or named; created ones are found the next time.
 */
export async function ensureClaims<T extends Claimant>(
  asking: Asking<T>,
  context: ClaimContext,
  signal: AbortSignal,
): Promise<T> {
  const { claimant, kind, group } = asking;
  const names = new Map<string, string>();
  const nameOf = claimNames(claimant);
  const own = claimsMadeFor(claimant, context);
  const ofGroup = claimsMadeFor(group, context);
  let isNew = false;
  for (const podClaim of claimant.spec?.resourceClaims ?? []) {
    signal.throwIfAborted();
    try {
      const found = nameOf(podClaim);
      if (isMissing(found, podClaim, asking, context)) {
        const claim = isShared(podClaim, group)
          ? ofGroup.get(podClaim.name)
          : own.get(podClaim.name) ?? await create(podClaim, asking, context);
        if (!claim) continue; // the pod is queued again once its group has it
        names.set(podClaim.name, claim.metadata?.name ?? "");
        isNew = true;
      } else if (found.type === "named" && found.isGenerated) {
        names.set(podClaim.name, found.name);
      }
    } catch (error) {
      const what = `${kind.claimWord} ${podClaim.name}: ${errorText(error)}`;
      context.recorder.event(claimant, "Warning", "FailedResourceClaimCreation", what);
      throw new Error(`${kind.word} ${objectKey(claimant)}, ${what}`, { cause: error });
    }
  }
  return isNew ? await applyClaimNames({ claimant, kind }, names, context) : claimant;
}

/**
 * The claims generated for a claimant, by its names for them. Its status may lack some, because of a crash or a failed
 * write.
 */
function claimsMadeFor(
  claimant: Claimant | undefined,
  { created }: ClaimContext,
): ReadonlyMap<string, ResourceV1ResourceClaim> {
  const made = new Map<string, ResourceV1ResourceClaim>();
  for (const claim of claimant ? created.of(claimant) : []) {
    const podClaimName = claim.metadata?.annotations?.[POD_CLAIM_ANNOTATION];
    if (podClaimName !== undefined && !made.has(podClaimName)) made.set(podClaimName, claim);
  }
  return made;
}

/**
 * Whether a claim of the claimant is missing.
 * @throws {Error} If the claim's name has an unknown form.
 */
function isMissing(
  found: ClaimName,
  podClaim: PodResourceClaim,
  { claimant, kind }: Asking,
  { created, groups, world }: ClaimContext,
): boolean {
  if (found.type === "unknown") {
    throw new Error(
      `checking for claim before creating it: ${namelessText(claimant, podClaim, { ...kind, ...found })}`,
    );
  }
  if (found.type === "pending") return true;
  if (found.type === "unneeded" || !found.isGenerated) return false; // or its user still has to create it
  const claim = created.find(claimant.metadata?.namespace, found.name);
  if (!claim) return true;
  if (isClaimFor(claim, claimant, { withGroups: groups !== undefined })) return false;
  const err = foreignClaimText(claim, claimant, kind.word);
  world.log.error("Claim is no longer its claimant's, creating a new one", { err });
  return true;
}

async function create(
  podClaim: PodResourceClaim,
  { claimant, kind }: Asking,
  context: ClaimContext,
): Promise<ResourceV1ResourceClaim> {
  const namespace = claimant.metadata?.namespace;
  const template = templateFor(namespace, podClaim.resourceClaimTemplateName ?? "", context);
  return await createClaim(newClaim({ claimant, kind }, podClaim.name, template), context);
}
