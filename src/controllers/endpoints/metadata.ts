import type { Labels, ObjectMeta, Service } from "../../api/mod.ts";
import { HEADLESS_LABEL, isHeadless, TRIGGER_TIME_ANNOTATION } from "../service_pods/mod.ts";

const MANAGED_BY_LABEL = "endpoints.kubernetes.io/managed-by";
const MANAGER = "endpoint-controller";
/** Marks that there are more addresses than are written. */
export const OVER_CAPACITY_ANNOTATION = "endpoints.kubernetes.io/over-capacity";
const TRUNCATED = "truncated";

/**
 * Whether Endpoints have their Service's labels and this controller's. The label for headless Services does not count;
 * a Service that has one of these two labels itself never matches.
 * Upstream: `pkg/controller/endpoint/endpoints_controller.go` (labelsCorrectForEndpoints).
 */
export function areLabelsRight(current: Labels = {}, ofService: Labels = {}): boolean {
  if (current[MANAGED_BY_LABEL] !== MANAGER) return false;
  const copied = Object.entries(current).filter(([key]) => key !== HEADLESS_LABEL && key !== MANAGED_BY_LABEL);
  return copied.length === Object.keys(ofService).length &&
    copied.every(([key, value]) => Object.hasOwn(ofService, key) && ofService[key] === value);
}

/** Labels of a Service's Endpoints. */
export function labelsFor(service: Service): Labels {
  const { [HEADLESS_LABEL]: _removed, ...labels } = service.metadata?.labels ?? {};
  return { ...labels, ...isHeadless(service) && { [HEADLESS_LABEL]: "" }, [MANAGED_BY_LABEL]: MANAGER };
}

/**
 * The annotations of Endpoints; those of others are kept.
 *
 * @param said.triggerTime The time of the change that causes the write, if known.
 * @param said.isTruncated Whether there are more addresses than are written.
 */
export function annotationsFor(
  current: ObjectMeta["annotations"],
  { triggerTime, isTruncated }: { readonly triggerTime: string | undefined; readonly isTruncated: boolean },
): Record<string, string> {
  const { [TRIGGER_TIME_ANNOTATION]: _time, [OVER_CAPACITY_ANNOTATION]: _capacity, ...others } = current ?? {};
  return {
    ...others,
    ...triggerTime !== undefined && { [TRIGGER_TIME_ANNOTATION]: triggerTime },
    ...isTruncated && { [OVER_CAPACITY_ANNOTATION]: TRUNCATED },
  };
}
