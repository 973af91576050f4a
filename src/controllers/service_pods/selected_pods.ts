import type { Labels, Pod, Service } from "../../api/mod.ts";
import { ensureIndexer, type Indexable, type Indexer, NAMESPACE_INDEX } from "../../cache/mod.ts";
import { labelValue } from "./service_index.ts";

/** How many pods are processed between two checks of the clock. */
const STEP = 256;
/** Pods by namespace and each of their labels; by namespace alone if there are more than {@link MOST_LABELS}. */
const LABEL_INDEX = "label";
/** More labels than this are not indexed one by one: their number is not bounded, and the index would hold them all. */
const MOST_LABELS = 64;

/** Adds the index that {@link selectedPods} needs, unless it is there. */
export function indexPods(informer: Indexable<Pod>): void {
  ensureIndexer(informer, LABEL_INDEX, ({ metadata }) => {
    const labels = Object.entries(metadata?.labels ?? {});
    if (labels.length > MOST_LABELS) return [labelValue(metadata?.namespace)];
    return labels.map((label) => labelValue(metadata?.namespace, label));
  });
}

/**
 * The pods that a Service selects, found in steps: its namespace may have a hundred thousand. An empty selector matches
 * all.
 *
 * @param pods Must have the index of {@link indexPods}.
 */
export function* selectedPods(
  { metadata, spec }: Service,
  pods: Pick<Indexer<Pod>, "byIndex" | "countByIndex">,
): Generator<void, Pod[]> {
  const wanted = Object.entries(spec?.selector ?? {});
  const selected: Pod[] = [];
  let toYield = STEP;
  for (const pod of candidates(metadata?.namespace ?? "", wanted, pods)) {
    if (hasAll(wanted, pod.metadata?.labels ?? {})) selected.push(pod);
    if (--toYield > 0) continue;
    toYield = STEP;
    yield;
  }
  return selected;
}

/** The pods that have the rarest of the labels, and those whose labels are not indexed. */
function candidates(
  namespace: string,
  wanted: readonly (readonly [string, string])[],
  pods: Pick<Indexer<Pod>, "byIndex" | "countByIndex">,
): Pod[] {
  if (wanted.length === 0) return pods.byIndex(NAMESPACE_INDEX, namespace);
  let [rarest, fewest] = ["", Infinity];
  for (const label of wanted.slice(0, MOST_LABELS)) {
    const value = labelValue(namespace, label);
    const count = pods.countByIndex(LABEL_INDEX, value);
    if (count < fewest) [rarest, fewest] = [value, count];
  }
  return pods.byIndex(LABEL_INDEX, rarest).concat(pods.byIndex(LABEL_INDEX, labelValue(namespace)));
}

function hasAll(wanted: readonly (readonly [string, string])[], labels: Labels): boolean {
  for (const [key, value] of wanted) if (labels[key] !== value) return false;
  return true;
}
