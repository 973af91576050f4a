import { type KubeObject, type Scale, selectorOfLabels } from "../../../api/mod.ts";
import { scaleSelector } from "../../pods/mod.ts";

/** Group versions whose kind `Scale` is understood. */
const SCALE_VERSIONS: ReadonlySet<string> = new Set([
  "autoscaling/v1",
  "extensions/v1beta1",
  "apps/v1beta1",
  "apps/v1beta2",
]);

/** A scale of any of the versions: the older ones have the selector in two forms. */
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
  /** As canonical text; empty if there is none. */
  readonly selector: string;
}

/** @throws {Error} If it is no scale, or its selector cannot be read. */
export function readScale(object: AnyScale & Scale): TargetScale {
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
    selector: scaleSelector(selectorText(status)),
  };
}

function selectorText({ selector = "", targetSelector }: NonNullable<AnyScale["status"]> = {}): string {
  if (targetSelector) return targetSelector;
  return typeof selector === "string" ? selector : selectorOfLabels(selector).toString();
}
