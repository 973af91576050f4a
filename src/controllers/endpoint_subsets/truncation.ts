import type { EndpointAddress, EndpointSubset } from "../../api/mod.ts";

/** The most addresses that are written: every node reads whole Endpoints whenever one of their pods changes. */
const MOST_ADDRESSES = 1000;

/** Counts ready and other addresses, and whether they exceed the limit. */
export function countAddresses(
  subsets: readonly EndpointSubset[],
): { readonly ready: number; readonly notReady: number; readonly isTooMany: boolean } {
  const ready = sum(subsets, ({ addresses = [] }) => addresses.length);
  const notReady = sum(subsets, ({ notReadyAddresses = [] }) => notReadyAddresses.length);
  return { ready, notReady, isTooMany: ready + notReady > MOST_ADDRESSES };
}

/**
 * The subsets truncated to the limit, ready addresses first; each subset keeps its share.
 * Upstream: `pkg/controller/endpoint/endpoints_controller.go` (truncateEndpoints).
 */
export function truncatedSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const { ready, notReady, isTooMany } = countAddresses(subsets);
  if (!isTooMany) return [...subsets];
  if (ready > MOST_ADDRESSES) {
    const share = sharing(MOST_ADDRESSES, ready);
    return subsets.map(({ addresses, notReadyAddresses: _none, ...subset }) => ({
      ...subset,
      addresses: share(addresses),
    }));
  }
  const share = sharing(MOST_ADDRESSES - ready, notReady);
  return subsets.map((subset) => ({ ...subset, notReadyAddresses: share(subset.notReadyAddresses) }));
}

/** Takes each list's share of `budget` items, rounded up; less may be left for the last ones. */
function sharing(budget: number, total: number) {
  let left = budget;
  return (addresses: EndpointAddress[] = []): EndpointAddress[] => {
    const taken = addresses.slice(0, Math.min(left, Math.ceil((addresses.length / total) * budget)));
    left -= taken.length;
    return taken;
  };
}

function sum(subsets: readonly EndpointSubset[], count: (subset: EndpointSubset) => number): number {
  return subsets.reduce((total, subset) => total + count(subset), 0);
}
