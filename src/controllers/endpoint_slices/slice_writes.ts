import { errorText } from "../../base/mod.ts";
import { type EndpointSlice, ENDPOINTSLICES } from "../../api/mod.ts";
import { type Client, isNamespaceTerminating } from "../../client/mod.ts";
import { refOf, serverSays } from "../running/mod.ts";
import type { SliceCounts } from "./slice_counts.ts";
import type { WrittenSlices } from "./written_slices.ts";

/** What is asked of the API server about slices. */
export type SliceClient = Pick<Client, "create" | "update" | "delete">;

/** What is to be done about the slices of one owner. */
export interface SlicePlan {
  /** Without names. */
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly delete: readonly EndpointSlice[];
}

/** Who writes, and for whom. */
export interface SliceWriting {
  readonly client: SliceClient;
  readonly written: WrittenSlices;
  readonly counts: Pick<SliceCounts, "changed">;
  /** As errors name it: `Service a/web`. */
  readonly owner: string;
  /** Whether the owner is being deleted, and the garbage collector with it what would be created. */
  readonly ownerIsGoing: boolean;
  /** Whether a slice that is to go may be given the content of one that is to come. */
  mayRecycle(slice: EndpointSlice): boolean;
}

/**
 * Carries a plan out: a slice that is to go takes the content of one of its family that is to come; then it creates, updates
 * and deletes, in this order, and remembers what was written. In a namespace that is going nothing is written.
 * Upstream: `k8s.io/endpointslice/reconciler.go` (finalize).
 *
 * @returns What was done, with the recycled slices among the updated; `undefined` if the namespace is going.
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

/** Deletes a slice, and remembers that. */
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
    // Whatever the slice holds by now, it is to hold this: no resource version.
    update.push({ ...content, metadata: { ...content.metadata, name: slice.metadata?.name } });
  }
  return { create: coming, update, delete: going };
}
