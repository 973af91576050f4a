import { joinKey, type Pod, type ResourceV1ResourceClaim } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { claimNames, type GroupsCount, isClaimFor, isReservedForPod } from "../device_claims/mod.ts";
import { deviceKey } from "./device_keys.ts";
import { type EvictingRules, evicts, matchesDevice, type Rule } from "./evicting_rules.ts";
import { evictionTimeMs } from "./eviction_time.ts";
import type { TaintedDevices } from "./tainted_devices.ts";

/** The inputs of decisions. */
export interface Evidence extends GroupsCount {
  readonly claims: Pick<Lister<ResourceV1ResourceClaim>, "get">;
  readonly devices: Pick<TaintedDevices, "taintsOf">;
  readonly rules: Pick<EvictingRules, "matching">;
}

/** A decision to evict a pod. */
export interface Eviction {
  /** By the wall clock; `Infinity` if it is unreachably far away. */
  readonly atMs: number;
  /** UIDs of rules that are among the reasons, by their names. */
  readonly rules: ReadonlyMap<string, string>;
  /** For the journal: a device and a taint. */
  readonly because: string;
}

/**
 * Whether and when to evict a pod from the devices that it uses: at the earliest time of any taint on any of them.
 * Upstream: `pkg/controller/devicetainteviction/device_taint_eviction.go` (podEvictionTime).
 */
export function evictionOf(pod: Pod, evidence: Evidence): Eviction | undefined {
  let atMs: number | undefined;
  let because = "";
  const rules = new Map<string, string>();
  for (const { status } of claimsUsedBy(pod, evidence)) {
    for (const result of status?.allocation?.devices?.results ?? []) {
      const device = deviceKey(result);
      const weigh = (taint: Rule["spec"]["taint"], rule?: Rule) => {
        const timeMs = evictionTimeMs(taint, result.tolerations);
        if (timeMs === undefined) return;
        if (rule) rules.set(rule.metadata?.name ?? "", rule.metadata?.uid ?? "");
        if (atMs !== undefined && atMs <= timeMs) return;
        atMs = timeMs;
        because = `device ${device} has the taint ${taint.key}`;
      };
      for (const taint of evidence.devices.taintsOf(device)) weigh(taint);
      for (const rule of evidence.rules.matching(result)) weigh(rule.spec.taint, rule);
    }
  }
  return atMs === undefined ? undefined : { atMs, rules, because };
}

/** Whether a rule is a reason to evict a pod, or would be if it evicted. */
export function concerns(rule: Rule, pod: Pod, evidence: Omit<Evidence, "devices" | "rules">): boolean {
  const taint = evicts(rule) ? rule.spec.taint : { ...rule.spec.taint, effect: "NoExecute" };
  return claimsUsedBy(pod, evidence).some(({ status }) =>
    status?.allocation?.devices?.results?.some((result) =>
      matchesDevice(rule, result) && evictionTimeMs(taint, result.tolerations) !== undefined
    )
  );
}

/**
 * The claims whose devices a pod uses: it is on a node, the claims are its own where they came from templates, and
 * reserved for it.
 */
function claimsUsedBy(
  pod: Pod,
  { claims, withGroups }: Omit<Evidence, "devices" | "rules">,
): ResourceV1ResourceClaim[] {
  if (!pod.spec?.nodeName) return [];
  const used = new Map<string, ResourceV1ResourceClaim>();
  const nameOf = claimNames(pod);
  for (const podClaim of pod.spec.resourceClaims ?? []) {
    const found = nameOf(podClaim);
    if (found.type !== "named") continue;
    const claim = claims.get(pod.metadata?.namespace, found.name);
    if (!claim?.status?.allocation) continue;
    if (found.isGenerated && !isClaimFor(claim, pod, { withGroups })) continue;
    if (isReservedForPod(claim, pod, { withGroups })) used.set(joinKey(pod.metadata?.namespace, found.name), claim);
  }
  return [...used.values()];
}
