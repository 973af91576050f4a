import { errorText } from "../../base/mod.ts";
import { ENDPOINTSLICES } from "../../api/mod.ts";
import { refOf } from "../running/mod.ts";
import type { MirroringContext } from "./context.ts";

/**
 * Deletes all slices of these Endpoints.
 *
 * @throws {Error} If not all of them could be deleted.
 */
export async function removeMirror(key: string, { client, slices, written, counts }: MirroringContext): Promise<void> {
  written.forget(key);
  counts.forget(key);
  const existing = slices.of(key);
  const errors: unknown[] = [];
  for (const slice of existing) {
    try {
      await client.delete(ENDPOINTSLICES, refOf(slice));
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 0) return;
  throw new Error(
    `error(s) deleting ${errors.length}/${existing.length} EndpointSlices for ${key} Endpoints, including: ` +
      errorText(errors[0]),
    { cause: errors[0] },
  );
}
