import { compareUtf8 } from "../../base/mod.ts";
import { type EndpointSlice, joinKey } from "../../api/mod.ts";
import { ensureIndexer, type SharedInformer } from "../../cache/mod.ts";
import { asLabels, MANAGED_BY_LABEL, SERVICE_NAME_LABEL } from "./slice_labels.ts";

/** Slices by who writes them, then by Service. */
const MANAGER_INDEX = "managedByAndService";

/** Finds the slices of one Service that one controller writes. */
export interface OwnSlices {
  /** @param key `namespace/name` of the Service. @returns In the order of their names. */
  of(key: string): EndpointSlice[];
}

/** @param manager The value of the label `managed-by` of the wanted slices. */
export function ownSlices(
  informer: Pick<SharedInformer<EndpointSlice>, "indexer" | "hasIndexer" | "addIndexers">,
  manager: string,
): OwnSlices {
  ensureIndexer(informer, MANAGER_INDEX, (slice) => {
    const { [MANAGED_BY_LABEL]: managedBy, [SERVICE_NAME_LABEL]: service } = asLabels(slice);
    return managedBy && service ? [`${managedBy} ${joinKey(slice.metadata?.namespace, service)}`] : [];
  });
  return {
    of: (key) => informer.indexer.byIndex(MANAGER_INDEX, `${manager} ${key}`).sort(byName),
  };
}

function byName(a: EndpointSlice, b: EndpointSlice): number {
  return compareUtf8(a.metadata?.name ?? "", b.metadata?.name ?? "");
}
