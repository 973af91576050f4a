import { errorText } from "../../base/mod.ts";
import { type EndpointSlice, ENDPOINTSLICES } from "../../api/mod.ts";
import { type Client, isNamespaceTerminating } from "../../client/mod.ts";
import { refOf, serverSays } from "../running/mod.ts";
import type { SliceCounts } from "./slice_counts.ts";
import type { WrittenSlices } from "./written_slices.ts";

/** The requests about slices. */
export type SliceClient = Pick<Client, "create" | "update" | "delete">;

/** The changes to one owner's slices. */
export interface SlicePlan {
  /** Without names. */
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly delete: readonly EndpointSlice[];
}

/** The context of writes. */
export interface SliceWriting {
  readonly client: SliceClient;
  readonly written: WrittenSlices;
  readonly counts: Pick<SliceCounts, "changed">;
  /** Its name in errors: `Service a/web`. */
  readonly owner: string;
  /** Whether the owner is being deleted, so that the garbage collector would delete new slices. */
  readonly ownerIsGoing: boolean;
  /** Whether a slice to delete may be reused for one to create. */
  mayRecycle(slice: EndpointSlice): boolean;
}

/**
 * Carries out a plan: reuses slices to delete for those to create of the same family, then creates, updates and
 * deletes, in this order, and records the writes. Writes nothing in a terminating namespace.
 * Upstream: `k8s.io/endpointslice/reconciler.go` (finalize).
 *
 * @returns What was done, with recycled slices among the updated ones; `undefined` if the namespace is terminating.
 * @throws {Error} At the first request that fails.
 */
export async function writeSlices(plan: SlicePlan, writing: SliceWriting): Promise<SlicePlan | undefined> {
  const { client, written, counts, owner, ownerIsGoing } = writing;
  const recycled = recycle(plan, writing);
  for (const slice of ownerIsGoing ? [] : recycled.create) {
    try {
      written.wrote(await client.create(ENDPOINTSLICES, slice));
    } catch (error) {
      if (serverSays(error, isNamespaceTerminating)) return undefined;
      throw failure(`create EndpointSlice`, owner, error);
    }
    counts.changed("create");
  }
  for (const slice of recycled.update) {
    try {
      written.wrote(await client.update(ENDPOINTSLICES, slice));
    } catch (error) {
      throw failure(`update ${slice.metadata?.name} EndpointSlice`, owner, error);
    }
    counts.changed("update");
  }
  for (const slice of recycled.delete) {
    try {
      await deleteSlice(slice, writing);
    } catch (error) {
      throw failure(`delete ${slice.metadata?.name} EndpointSlice`, owner, error);
    }
  }
  return recycled;
}

/** Deletes a slice and records that. */
export async function deleteSlice(
  slice: EndpointSlice,
  { client, written, counts }: Pick<SliceWriting, "client" | "written" | "counts">,
): Promise<void> {
  await client.delete(ENDPOINTSLICES, refOf(slice));
  written.deleted(slice);
  counts.changed("delete");
}

function failure(what: string, owner: string, error: unknown): Error {
  return new Error(`failed to ${what} for ${owner}: ${errorText(error)}`, { cause: error });
}

function recycle(plan: SlicePlan, { mayRecycle }: Pick<SliceWriting, "mayRecycle">): SlicePlan {
  const coming = [...plan.create];
  const update = [...plan.update];
  const going: EndpointSlice[] = [];
  for (const slice of plan.delete) {
    const at = mayRecycle(slice) ? coming.findLastIndex(({ addressType }) => addressType === slice.addressType) : -1;
    if (at < 0) {
      going.push(slice);
      continue;
    }
    const [content] = coming.splice(at, 1);
    // Overwrites whatever the slice contains by now: no resource version.
    update.push({ ...content, metadata: { ...content.metadata, name: slice.metadata?.name } });
  }
  return { create: coming, update, delete: going };
}
