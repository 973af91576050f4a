import type { TurnBudget } from "../../base/mod.ts";
import { type KubeObject, type Scale, type Selector, selectorOfLabels } from "../../api/mod.ts";
import { SCALE_VERSIONS, scaleSelector } from "../pods/mod.ts";

/** A Scale of any version; older versions have the selector in two forms. */
interface AnyScale extends KubeObject {
  readonly spec?: Scale["spec"];
  readonly status?: {
    readonly replicas?: number;
    readonly selector?: string | Readonly<Record<string, string>>;
    readonly targetSelector?: string;
  };
}

/** How many replicas a target wants and has, and which pods they are. */
export interface TargetScale {
  /** As it was read. */
  readonly object: Scale;
  readonly specReplicas: number;
  readonly statusReplicas: number;
  /** Empty if there is none. */
  readonly selector: Selector;
}

/** @throws {Error} If it is not a Scale, or its selector cannot be read. */
export async function readScale(object: AnyScale & Scale, budget: TurnBudget): Promise<TargetScale> {
  const { apiVersion = "", kind, spec, status }: AnyScale = object;
  if (kind !== "Scale" || !SCALE_VERSIONS.has(apiVersion)) {
    throw new Error(
      "received an object from a /scale endpoint which was not convertible to autoscaling Scale: " +
        `no kind "${kind ?? ""}" is registered for version "${apiVersion}"`,
    );
  }
  return {
    object,
    specReplicas: spec?.replicas ?? 0,
    statusReplicas: status?.replicas ?? 0,
    selector: await scaleSelector(selectorText(status), budget),
  };
}

function selectorText({ selector = "", targetSelector }: NonNullable<AnyScale["status"]> = {}): string {
  if (targetSelector) return targetSelector;
  return typeof selector === "string" ? selector : selectorOfLabels(selector).toString();
}
