import {
  NODES,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type StorageClass,
} from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { isAlreadyExists, isNotFound, type ObjectRef } from "../../client/mod.ts";
import { storageClassOf } from "../../rules/mod.ts";
import { type StorageContext, tell } from "./context.ts";
import { newVolume, volumeNameOf } from "./new_volume.ts";
import { scriptOf } from "./outcomes.ts";

const PROVISIONER_ANNOTATIONS = [
  "volume.kubernetes.io/storage-provisioner",
  "volume.beta.kubernetes.io/storage-provisioner",
];
const SELECTED_NODE = "volume.kubernetes.io/selected-node";

/**
 * Creates the volume for a claim, if the claim is this driver's.
 * Upstream: `sig-storage-lib-external-provisioner` (syncClaim, provisionClaimOperation).
 *
 * @returns When to check again, in milliseconds; `undefined` to wait for a change.
 */
export async function provision(ref: ObjectRef, context: StorageContext): Promise<number | undefined> {
  const claim = context.claims.get(ref.namespace, ref.name);
  const storageClass = claim && classToProvision(claim, context);
  if (!claim || !storageClass) return undefined;
  const { operations, client, signal } = context;
  const { uid = "" } = claim.metadata ?? {};
  if (context.volumes.get(undefined, volumeNameOf(claim))) return undefined;
  const target = await targetOf(claim, context);
  if (target.kind === "gone") return await reschedule(claim, target.message, context);

  const { outcomes, problem } = scriptOf("provision", [claim, storageClass]);
  const { begins, outcome, againMs } = operations.look("provision", uid, outcomes);
  if (begins) announce(claim, problem, context);
  if (!outcome) return againMs;
  if (outcome.result !== "ok") {
    const message = `failed to provision volume with StorageClass ${
      JSON.stringify(storageClassOf(claim))
    }: ${outcome.message}`;
    if (outcome.result === "elsewhere" && target.kind === "node") {
      return await reschedule(claim, message, context);
    }
    tell([claim, PERSISTENTVOLUMECLAIMS], { type: "Warning", reason: "ProvisioningFailed", message }, context);
    return againMs;
  }
  const nodeLabels = target.kind === "node" ? target.labels : {};
  const volume = newVolume(claim, storageClass, { driver: context.driver, nodeLabels });
  try {
    await client.create(PERSISTENTVOLUMES, volume, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const message = `Successfully provisioned volume ${volume.metadata?.name}`;
  tell([claim, PERSISTENTVOLUMECLAIMS], { type: "Normal", reason: "ProvisioningSucceeded", message }, context);
  return undefined;
}

/** The class of a claim to provision; `undefined` if this driver must not provision it, or not yet. */
function classToProvision(
  claim: PersistentVolumeClaim,
  { driver, classes }: StorageContext,
): StorageClass | undefined {
  const { metadata, spec } = claim;
  if (spec?.volumeName || metadata?.deletionTimestamp) return undefined;
  const wanted = PROVISIONER_ANNOTATIONS.map((key) => metadata?.annotations?.[key]).find((name) => name !== undefined);
  const found = wanted === driver ? classes.get(undefined, storageClassOf(claim)) : undefined;
  if (found?.provisioner !== driver) return undefined;
  const waits = found.volumeBindingMode === "WaitForFirstConsumer" && !metadata?.annotations?.[SELECTED_NODE];
  return waits ? undefined : found;
}

/** Where a volume must be reachable. */
type Target =
  | { readonly kind: "anywhere" }
  | { readonly kind: "node"; readonly labels: Readonly<Record<string, string>> }
  | { readonly kind: "gone"; readonly message: string };

async function targetOf({ metadata }: PersistentVolumeClaim, { client, signal }: StorageContext): Promise<Target> {
  const name = metadata?.annotations?.[SELECTED_NODE];
  if (!name) return { kind: "anywhere" };
  try {
    const node = await client.getMetadata(NODES, { name }, { signal });
    return { kind: "node", labels: node.metadata?.labels ?? {} };
  } catch (error) {
    if (isNotFound(error)) return { kind: "gone", message: errorText(error) };
    throw error;
  }
}

function announce(claim: PersistentVolumeClaim, problem: string | undefined, context: StorageContext): void {
  const about = [claim, PERSISTENTVOLUMECLAIMS] as const;
  if (problem) tell(about, { type: "Warning", reason: "InvalidAnnotation", message: problem }, context);
  const { namespace, name } = claim.metadata ?? {};
  const message = `External provisioner is provisioning volume for claim ${JSON.stringify(`${namespace}/${name}`)}`;
  tell(about, { type: "Normal", reason: "Provisioning", message }, context);
}

/** Makes the scheduler choose another node. */
async function reschedule(
  claim: PersistentVolumeClaim,
  message: string,
  context: StorageContext,
): Promise<undefined> {
  tell([claim, PERSISTENTVOLUMECLAIMS], { type: "Warning", reason: "ProvisioningFailed", message }, context);
  const { client, signal } = context;
  const { namespace, name = "", resourceVersion } = claim.metadata ?? {};
  const body = { metadata: { resourceVersion, annotations: { [SELECTED_NODE]: null } } };
  await client.patchMetadata(PERSISTENTVOLUMECLAIMS, { namespace, name }, { type: "merge", body, signal });
  return undefined;
}
