import { type PersistentVolumeClaim, PERSISTENTVOLUMECLAIMS } from "../../api/mod.ts";
import type { ProtectionContext } from "./context.ts";

/** @returns The claim as the API server has it now. */
export async function writeConditions(
  claim: PersistentVolumeClaim,
  conditions: NonNullable<PersistentVolumeClaim["status"]>["conditions"],
  { client }: Pick<ProtectionContext, "client">,
): Promise<PersistentVolumeClaim> {
  return await client.updateStatus(PERSISTENTVOLUMECLAIMS, { ...claim, status: { ...claim.status, conditions } });
}
