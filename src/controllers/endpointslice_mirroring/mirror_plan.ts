import type { Endpoint, Endpoints, EndpointSlice } from "../../api/mod.ts";
import { endpointKey, isSameEndpoint, type SlicePlan } from "../endpoint_slices/mod.ts";
import { groupKey, type MirrorGroup } from "./desired_mirror.ts";
import { hasMetadataOf, mirroredSlice } from "./mirrored_slice.ts";

/** How many endpoints a plan changes. */
interface Changes {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
}

/** The changes to the slices that mirror Endpoints. */
export interface MirrorPlan extends SlicePlan, Changes {
  /** Slices that need no change. */
  readonly kept: readonly EndpointSlice[];
  /** Endpoints and slices by set of ports and family. */
  readonly counts: readonly { readonly endpoints: number; readonly slices: number }[];
}

/** The plan for one group's slices. */
interface GroupPlan extends SlicePlan, Changes {
  readonly kept?: EndpointSlice;
}

const NOTHING: GroupPlan = { create: [], update: [], delete: [], added: 0, updated: 0, removed: 0 };

/**
 * Plans the slices that mirror Endpoints: one per group, replaced as a whole if anything differs.
 * Upstream: `pkg/controller/endpointslicemirroring/reconciler.go` (reconcile).
 */
export function planMirror(
  source: Endpoints,
  existing: readonly EndpointSlice[],
  { groups, mostEndpoints }: { readonly groups: ReadonlyMap<string, MirrorGroup>; readonly mostEndpoints: number },
): MirrorPlan {
  const slices = Map.groupBy(existing, groupKey);
  const plans: GroupPlan[] = [];
  const counts = [];
  for (const [key, group] of groups) {
    const own = slices.get(key) ?? [];
    const plan = planGroup(source, own, { group, mostEndpoints });
    plans.push(plan);
    counts.push({
      endpoints: group.endpoints.size,
      slices: own.length + plan.create.length - plan.delete.length,
    });
  }
  const unwanted = [...slices].flatMap(([key, own]) => groups.has(key) ? [] : own);
  const sum = (what: keyof Changes) => plans.reduce((total, plan) => total + plan[what], 0);
  return {
    create: plans.flatMap((plan) => plan.create),
    update: plans.flatMap((plan) => plan.update),
    delete: [...plans.flatMap((plan) => plan.delete), ...unwanted],
    kept: plans.flatMap(({ kept }) => kept ?? []),
    added: sum("added"),
    updated: sum("updated"),
    removed: sum("removed"),
    counts,
  };
}

function planGroup(
  source: Endpoints,
  existing: readonly EndpointSlice[],
  { group, mostEndpoints }: { readonly group: MirrorGroup; readonly mostEndpoints: number },
): GroupPlan {
  if (group.endpoints.size === 0) {
    const removed = existing.reduce((sum, { endpoints }) => sum + (endpoints ?? []).length, 0);
    return { ...NOTHING, delete: existing, removed };
  }
  const [first, ...others] = existing;
  if (!first) {
    const create = [mirroredSlice(source, group, { mostEndpoints })];
    return { ...NOTHING, create, added: group.endpoints.size };
  }
  const changes = changesOf(first, group.endpoints);
  const isRight = changes.added + changes.updated + changes.removed === 0 && hasMetadataOf(first, source);
  if (isRight) return { ...NOTHING, delete: others, kept: first };
  const update = [mirroredSlice(source, group, { name: first.metadata?.name, mostEndpoints })];
  return { ...NOTHING, ...changes, update, delete: others };
}

function changesOf(slice: EndpointSlice, wanted: ReadonlyMap<string, Endpoint>): Changes {
  let [matching, updated, removed] = [0, 0, 0];
  for (const endpoint of slice.endpoints ?? []) {
    const found = wanted.get(endpointKey(endpoint));
    if (!found) removed++;
    else {
      matching++;
      if (!isSameEndpoint(found, endpoint)) updated++;
    }
  }
  return { added: wanted.size - matching, updated, removed };
}
