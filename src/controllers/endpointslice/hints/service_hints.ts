import { objectKey, type Service } from "../../../api/mod.ts";
import type { EndpointSliceContext } from "../context.ts";
import type { AddressType, Announcement, Draft } from "../slice_draft.ts";
import { withoutHints } from "./drafts.ts";
import { hintsAnnouncement, wantsTopologyHints, withTopologyHints } from "./topology_hints.ts";
import { trafficDistributionOf, withTrafficHints } from "./traffic_hints.ts";

/** Slices with their Service's hints, and the events to record. */
export interface HintedDraft {
  readonly draft: Draft;
  readonly announcements: readonly Announcement[];
}

/** How a Service wants its endpoints hinted: the annotation wins over the field. */
export function hintingOf(service: Service): { readonly isAuto: boolean; readonly distribution?: string } {
  const isAuto = wantsTopologyHints(service);
  return { isAuto, distribution: isAuto ? undefined : trafficDistributionOf(service) };
}

/** Adds the hints that the Service wants to the slices of one family, and records them. */
export async function withServiceHints(
  service: Service,
  draft: Draft,
  { addressType, hints, metrics }: Pick<EndpointSliceContext, "hints" | "metrics"> & {
    readonly addressType: AddressType;
  },
): Promise<HintedDraft> {
  const key = objectKey(service);
  const { isAuto, distribution } = hintingOf(service);
  metrics.distributes(key, distribution);
  if (isAuto) {
    const hinted = withTopologyHints(draft, await hints.shares());
    if (hinted.problem !== undefined) {
      hints.drop(key, addressType);
      return { draft: hinted.draft, announcements: [hintsAnnouncement("Disabled", hinted.problem, addressType)] };
    }
    const isNew = !hints.isPopulated(key);
    hints.populate(key, addressType, hinted.counts);
    const enabled = hintsAnnouncement("Enabled", "Topology Aware Hints has been enabled", addressType);
    return { draft: hinted.draft, announcements: isNew ? [enabled] : [] };
  }
  const disabled = hintsAnnouncement("Disabled", "Topology Aware Hints has been disabled", addressType);
  const announcements = hints.isPopulated(key) ? [disabled] : [];
  hints.drop(key, addressType);
  return { draft: distribution ? withTrafficHints(draft, distribution) : withoutHints(draft), announcements };
}
