import type { Logger } from "../../base/mod.ts";
import { type EndpointSlice, joinKey, objectKey } from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";
import { asLabels, MANAGED_BY_LABEL, SERVICE_NAME_LABEL } from "./slice_labels.ts";
import type { WrittenSlices } from "./written_slices.ts";

/** Options of {@link sliceHandler}. */
export interface SliceHandlerOptions {
  readonly log: Logger;
  /** The value of the label `managed-by` of the controller's own slices. */
  readonly manager: string;
  readonly written: WrittenSlices;
  /** Keys of Services. */
  readonly queue: Pick<WorkQueue, "addAfter">;
  readonly delayMs: number;
}

/**
 * Queues the Services of slices that others than this controller changed.
 *
 * Contract:
 * 1. A slice of the controller's that is news to it queues its Service.
 * 2. A slice that was given to another Service, or to or by another manager, queues the Services.
 * 3. A slice that something else deleted queues its Service.
 * 4. What the controller wrote itself queues nothing.
 * 5. A slice of no Service is logged and queues nothing.
 *
 * Upstream: onEndpointSliceAdd, onEndpointSliceUpdate and onEndpointSliceDelete of `pkg/controller/endpointslice`.
 */
export function sliceHandler(options: SliceHandlerOptions): EventHandler<EndpointSlice> {
  const { manager, written } = options;
  const isOwn = (slice: EndpointSlice) => asLabels(slice)[MANAGED_BY_LABEL] === manager;
  return {
    onAdd: (slice) => {
      if (isOwn(slice) && written.isNews(slice)) enqueue(slice, "added", options);
    },
    onUpdate: (before, slice) => {
      const what = changeOf(before, slice);
      if (asLabels(before)[SERVICE_NAME_LABEL] !== asLabels(slice)[SERVICE_NAME_LABEL]) {
        enqueue(slice, what, options);
        enqueue(before, what, options);
      } else if (isOwn(before) !== isOwn(slice) || (isOwn(slice) && written.isNews(slice))) {
        enqueue(slice, what, options);
      }
    },
    onDelete: (deleted) => {
      const slice = finalStateOf(deleted);
      if (slice && isOwn(slice) && written.sawDeletion(slice)) enqueue(slice, "deleted", options);
    },
  };
}

function enqueue(slice: EndpointSlice, what: Change, { log, queue, delayMs }: SliceHandlerOptions): void {
  const service = asLabels(slice)[SERVICE_NAME_LABEL];
  if (!service) {
    log.error("Cannot tell whose an EndpointSlice is: it has no service name label", {
      endpointSlice: objectKey(slice),
      label: SERVICE_NAME_LABEL,
    });
    return;
  }
  queue.addAfter(joinKey(slice.metadata?.namespace, service), delayMs, cause("endpointslice", slice, what));
}
