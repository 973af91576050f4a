import type { Counter, Gauge, MetricsRegistry } from "../../base/mod.ts";
import type { ResourceV1ResourceClaim } from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";

export const CREATES = "resourceclaim_controller_creates_total";
export const CLAIMS = "resourceclaim_controller_resource_claims";

/** On a claim generated from a template: which of its pod's claims it is. */
export const POD_CLAIM_ANNOTATION = "resource.kubernetes.io/pod-claim-name";
/** On a claim that the scheduler made for extended resources. */
const EXTENDED_ANNOTATION = "resource.kubernetes.io/extended-resource-claim";

/** Upstream: `pkg/controller/resourceclaim/metrics`. */
export interface ClaimMetrics {
  /** Requests to create a claim, by how they ended. */
  readonly creates: Pick<Counter, "inc">;
  /** The number of claims. */
  readonly claims: Pick<Gauge, "inc">;
}

export function claimMetrics(metrics: MetricsRegistry): ClaimMetrics {
  return {
    creates: metrics.counter({
      name: CREATES,
      help: "Number of ResourceClaims creation requests, categorized by creation status and admin access",
      labels: ["status", "admin_access"],
    }),
    claims: metrics.gauge({
      name: CLAIMS,
      help: "Number of ResourceClaims, categorized by allocation status, admin access, and source. " +
        "Source can be 'resource_claim_template' (created from a template), " +
        "'extended_resource' (extended resources), or empty (manually created by a user).",
      labels: ["allocated", "admin_access", "source"],
    }),
  };
}

/** Whether a claim requests admin access to devices that others use. */
export function wantsAdminAccess({ devices }: ResourceV1ResourceClaim["spec"]): boolean {
  return devices?.requests?.some(({ exactly }) => exactly?.adminAccess === true) ?? false;
}

/** `handler`, counting the claims that a cache holds as they pass. */
export function counted(
  handler: Required<EventHandler<ResourceV1ResourceClaim>>,
  { claims }: Pick<ClaimMetrics, "claims">,
): EventHandler<ResourceV1ResourceClaim> {
  return {
    onAdd: (claim, isInInitialList) => {
      claims.inc(labelsOf(claim));
      return handler.onAdd(claim, isInInitialList);
    },
    onUpdate: (before, claim) => {
      const [from, to] = [labelsOf(before), labelsOf(claim)];
      if (to.some((label, i) => label !== from[i])) {
        claims.inc(from, -1);
        claims.inc(to);
      }
      return handler.onUpdate(before, claim);
    },
    onDelete: (deleted) => {
      const claim = finalStateOf(deleted);
      if (claim) claims.inc(labelsOf(claim), -1);
      return handler.onDelete(deleted);
    },
  };
}

function labelsOf({ metadata, spec, status }: ResourceV1ResourceClaim): string[] {
  const { [EXTENDED_ANNOTATION]: extended, [POD_CLAIM_ANNOTATION]: podClaim } = metadata?.annotations ?? {};
  const source = extended === "true" ? "extended_resource" : podClaim ? "resource_claim_template" : "";
  return [String(status?.allocation !== undefined), String(wantsAdminAccess(spec)), source];
}
