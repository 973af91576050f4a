import type { Labels, Service } from "../../api/mod.ts";
import { ensureIndexer, type Indexable, type Indexer } from "../../cache/mod.ts";

/** Services by namespace and the first label in their selector. */
const SELECTOR_INDEX = "firstSelectedLabel";

/** Adds the index of Services by selector to their informer, unless it is there. */
export function indexServices(informer: Indexable<Service>): void {
  ensureIndexer(informer, SELECTOR_INDEX, ({ metadata, spec }) => {
    if (!spec?.selector) return []; // it selects nothing, not everything
    const [first] = Object.entries(spec.selector);
    return [labelValue(metadata?.namespace, first)];
  });
}

/** A superset of the Services that select a pod with these labels, each once. */
export function* servicesThatMaySelect(
  services: Pick<Indexer<Service>, "byIndex">,
  namespace: string,
  ...labelSets: readonly (Labels | undefined)[]
): Generator<Service> {
  const values = new Set([labelValue(namespace)]);
  for (const labels of labelSets) {
    for (const label of Object.entries(labels ?? {})) values.add(labelValue(namespace, label));
  }
  for (const value of values) yield* services.byIndex(SELECTOR_INDEX, value);
}

/** Whether a Service selects pods with these labels. */
export function selects({ spec }: Service, labels: Labels): boolean {
  return Object.entries(spec?.selector ?? {}).every(([key, value]) => labels[key] === value);
}

/** The value of an index for a label in a namespace, or for the namespace alone. */
export function labelValue(namespace = "", label?: readonly [key: string, value: string]): string {
  return label ? `${namespace}/${label[0]}=${label[1]}` : `${namespace}/`;
}
