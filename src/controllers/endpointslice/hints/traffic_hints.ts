import { deepEqual } from "../../../base/mod.ts";
import type { Endpoint, EndpointHints, Service } from "../../../api/mod.ts";
import type { Draft } from "../slice_draft.ts";
import { isReady, remade, withHints } from "./drafts.ts";

const SAME_NODE = "PreferSameNode";
const DISTRIBUTIONS: ReadonlySet<string> = new Set(["PreferClose", "PreferSameZone", SAME_NODE]);

/** A Service's traffic distribution; `undefined` if unset or unknown. */
export function trafficDistributionOf({ spec }: Service): string | undefined {
  const { trafficDistribution } = spec ?? {};
  return trafficDistribution && DISTRIBUTIONS.has(trafficDistribution) ? trafficDistribution : undefined;
}

/**
 * Hints each ready endpoint to its own zone, and node if that is preferred. Upstream:
 * `k8s.io/endpointslice/trafficdist`.
 *
 * @param distribution The result of {@link trafficDistributionOf}.
 */
export function withTrafficHints(draft: Draft, distribution: string): Draft {
  const hintsOf = ({ zone, nodeName }: Endpoint): EndpointHints | undefined => {
    const forNode = distribution === SAME_NODE && nodeName !== undefined;
    if (zone === undefined && !forNode) return undefined;
    return {
      ...zone !== undefined && { forZones: [{ name: zone }] },
      ...forNode && { forNodes: [{ name: nodeName }] },
    };
  };
  return remade(draft, {
    isWrong: ({ endpoints }) => (endpoints ?? []).some((one) => isReady(one) && !areHints(one.hints, hintsOf(one))),
    remake: (endpoint) => isReady(endpoint) ? withHints(endpoint, hintsOf(endpoint)) : endpoint,
  });
}

function areHints(a: EndpointHints | undefined, b: EndpointHints | undefined): boolean {
  return deepEqual(a?.forZones ?? [], b?.forZones ?? []) && deepEqual(a?.forNodes ?? [], b?.forNodes ?? []);
}
