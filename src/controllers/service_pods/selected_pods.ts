import type { Pod, Service } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";

/** How many pods are processed between two checks of the clock. */
const STEP = 256;

/**
 * The pods that a Service selects, found in steps: its namespace may have a hundred thousand. An empty selector matches
 * all.
 */
export function* selectedPods(
  { metadata, spec }: Service,
  pods: Pick<Lister<Pod>, "list">,
): Generator<void, Pod[]> {
  const wanted = Object.entries(spec?.selector ?? {});
  const selected: Pod[] = [];
  for (const [i, pod] of pods.list({ namespace: metadata?.namespace }).entries()) {
    const labels = pod.metadata?.labels ?? {};
    if (wanted.every(([key, value]) => labels[key] === value)) selected.push(pod);
    if (i % STEP === 0) yield;
  }
  return selected;
}
