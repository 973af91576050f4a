import { apiVersionOf, objectKey, RESOURCECLAIMS, type ResourceV1ResourceClaim } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import type { Claimant } from "../device_claims/mod.ts";
import { refOf, serverSays, withoutFinalizer } from "../running/mod.ts";
import { type ClaimantKind, consumerOf } from "./claimants.ts";
import type { ClaimContext } from "./context.ts";
import { wantsAdminAccess } from "./metrics.ts";
import { DEVICES_FINALIZER } from "./needs.ts";

/** The field manager of claims' names in the status of pods and groups. */
const FIELD_MANAGER = "ResourceClaimController";

/** @throws {Error} `create ResourceClaim : ...`; a claim has no name before it is created. */
export async function createClaim(
  claim: ResourceV1ResourceClaim,
  { client, metrics, created: known }: Pick<ClaimContext, "client" | "metrics" | "created">,
): Promise<ResourceV1ResourceClaim> {
  const adminAccess = String(wantsAdminAccess(claim.spec));
  let created: ResourceV1ResourceClaim;
  try {
    created = { ...claim, metadata: (await client.createMetadata(RESOURCECLAIMS, claim)).metadata };
  } catch (error) {
    metrics.creates.inc(["failure", adminAccess]);
    throw new Error(`create ResourceClaim : ${errorText(error)}`, { cause: error });
  }
  metrics.creates.inc(["success", adminAccess]);
  known.note(created);
  return created;
}

/** Claims' names by the claimant's names for them. */
export type ClaimNames = ReadonlyMap<string, string>;

/**
 * Writes all of its claims' names to a claimant's status: ours would be removed if they were not repeated.
 *
 * @returns The claimant with them.
 * @throws {Error} `update pod ... ResourceClaimStatuses: ...`.
 */
export async function applyClaimNames<T extends Claimant>(
  { claimant, kind: { resource, word } }: { readonly claimant: T; readonly kind: ClaimantKind },
  names: ClaimNames,
  { client }: Pick<ClaimContext, "client">,
): Promise<T> {
  const { namespace, name = "" } = claimant.metadata ?? {};
  const resourceClaimStatuses = [...names].map(([name, resourceClaimName]) => ({ name, resourceClaimName }))
    .sort((a, b) => a.name < b.name ? -1 : 1);
  // Exactly the fields to own, which are fewer than a pod must have.
  const body = {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: { namespace, name },
    status: { resourceClaimStatuses },
  };
  const how = { type: "apply", fieldManager: FIELD_MANAGER, force: true, subresource: "status", body } as const;
  try {
    await client.patchMetadata(resource, { namespace, name }, how);
  } catch (error) {
    const why = `update ${word} ${objectKey(claimant)} ResourceClaimStatuses: ${errorText(error)}`;
    throw new Error(why, { cause: error });
  }
  return { ...claimant, status: { ...claimant.status, resourceClaimStatuses } };
}

/** Lets a pod or a group use the devices of a claim. @throws {Error} `reserve claim ...`. */
export async function reserve(
  claim: ResourceV1ResourceClaim,
  user: { readonly claimant: Claimant; readonly kind: ClaimantKind },
  { client }: Pick<ClaimContext, "client">,
): Promise<void> {
  const reservedFor = [...claim.status?.reservedFor ?? [], consumerOf(user)];
  try {
    await client.updateStatus(RESOURCECLAIMS, { ...claim, status: { ...claim.status, reservedFor } });
  } catch (error) {
    const { namespace, name } = claim.metadata ?? {};
    throw new Error(`reserve claim ${namespace}/${name}: ${errorText(error)}`, { cause: error });
  }
}

/** @returns The claim as the API server has it now. */
export async function writeStatus(
  claim: ResourceV1ResourceClaim,
  status: ResourceV1ResourceClaim["status"],
  { client }: Pick<ClaimContext, "client">,
): Promise<ResourceV1ResourceClaim> {
  return await client.updateStatus(RESOURCECLAIMS, { ...claim, status });
}

/** Removes the finalizer from a claim whose devices are free. */
export async function removeFinalizer(
  claim: ResourceV1ResourceClaim,
  { client }: Pick<ClaimContext, "client">,
): Promise<void> {
  const free = withoutFinalizer(claim, DEVICES_FINALIZER);
  // The owners of fields are the API server's to know: it does not need them back.
  await client.update(RESOURCECLAIMS, { ...free, metadata: { ...free.metadata, managedFields: undefined } });
}

/** Deletes exactly this claim. @throws {Error} `delete unused generated claim ...`, unless it is gone already. */
export async function deleteClaim(
  claim: ResourceV1ResourceClaim,
  { client }: Pick<ClaimContext, "client">,
): Promise<void> {
  const { namespace, name, uid } = claim.metadata ?? {};
  try {
    await client.delete(RESOURCECLAIMS, refOf(claim), { preconditions: { uid } });
  } catch (error) {
    if (serverSays(error, isNotFound)) return;
    throw new Error(`delete unused generated claim ${namespace}/${name}: ${errorText(error)}`, { cause: error });
  }
}
