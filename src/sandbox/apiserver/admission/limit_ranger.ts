import {
  type Container,
  type LimitRange,
  type LimitRangeItem,
  type PersistentVolumeClaim,
  type Pod,
  type ResourceRequirements,
} from "../../../api/mod.ts";
import { podLimits, podRequests } from "../../../rules/mod.ts";
import { type Limited, limitedBy, limitErrors } from "./limit_constraints.ts";
import { type Admission, refusal } from "../operations/mod.ts";
import { smallList } from "./small_lists.ts";

const ANNOTATION = "kubernetes.io/limit-ranger";

/** Gives containers the defaults of the namespace's limit ranges. Upstream: `plugin/pkg/admission/limitranger`. */
export function addDefaultResources(admission: Admission<Pod>): void {
  for (const { spec } of limitRangesOf(admission)) addDefaults(admission.object, spec?.limits ?? []);
}

/** A pod and its containers must stay within their namespace's limits. */
export function keepPodLimits(admission: Admission<Pod>): void {
  const { object } = admission;
  const { containers = [], initContainers = [] } = object.spec ?? {};
  check(admission, (limit) => {
    if (limit.type === "Container") {
      return [...containers, ...initContainers].flatMap(({ resources }) => limitErrors(limit, limitedBy(resources)));
    }
    if (limit.type !== "Pod") return [];
    const whole: Limited = {
      requests: podRequests(object, { excludesOverhead: true }),
      limits: podLimits(object, { excludesOverhead: true }),
    };
    return limitErrors(limit, whole);
  });
}

/** A claim's request must be within its namespace's limits. */
export function keepClaimLimits(admission: Admission<PersistentVolumeClaim>): void {
  const { requests } = limitedBy({ requests: admission.object.spec?.resources?.requests });
  // A claim has no limits, so the range applies to its request.
  check(admission, (limit) => limit.type === "PersistentVolumeClaim" ? limitErrors(limit, { requests }) : []);
}

/** The limit ranges of the namespace; none for what is being deleted. */
function limitRangesOf({ operation: { state, namespace }, old }: Admission): readonly LimitRange[] {
  return old?.metadata.deletionTimestamp === undefined ? smallList(state.store, "limitranges", namespace) : [];
}

function check(admission: Admission, errorsOf: (limit: LimitRangeItem) => string[]): void {
  for (const { spec } of limitRangesOf(admission)) {
    const errors = [...new Set((spec?.limits ?? []).flatMap(errorsOf))];
    if (errors.length > 0) throw refusal(admission, errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`);
  }
}

function addDefaults({ metadata, spec }: Admission<Pod>["object"], limits: readonly LimitRangeItem[]): void {
  const own = limits.filter(({ type }) => type === "Container");
  const defaults: ResourceRequirements = {
    requests: Object.assign({}, ...own.map(({ defaultRequest }) => defaultRequest)),
    limits: Object.assign({}, ...own.map((limit) => limit.default)),
  };
  const notes = [
    ...(spec?.containers ?? []).flatMap((container) => fill(container, defaults, "container")),
    ...(spec?.initContainers ?? []).flatMap((container) => fill(container, defaults, "init container")),
  ];
  if (notes.length === 0) return;
  metadata.annotations = { ...metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join("; ")}` };
}

/** Sets the missing defaults and says what it set. */
function fill(container: Container, defaults: ResourceRequirements, what: string): string[] {
  const notes: string[] = [];
  for (const [part, noun] of [["requests", "request"], ["limits", "limit"]] as const) {
    const present = container.resources?.[part] ?? {};
    const added = Object.entries(defaults[part] ?? {}).filter(([name]) => !Object.hasOwn(present, name));
    if (added.length === 0) continue;
    container.resources = { ...container.resources, [part]: { ...present, ...Object.fromEntries(added) } };
    notes.push(`${added.map(([name]) => name).sort().join(", ")} ${noun} for ${what} ${container.name}`);
  }
  return notes;
}
