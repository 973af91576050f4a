import { isMap, type JsonObject } from "../base/mod.ts";
import { itemStep, type ListShape, memberOf, setMember, type Shape } from "../schema/mod.ts";

/**
 * `applied` laid over `live`: objects, keyed lists and sets merge, everything else is replaced. Lists get the order of
 * `applied`; items that only `live` has stay where they were. Upstream: `structured-merge-diff/typed/merge.go`.
 */
export function mergeApplied(live: unknown, applied: unknown, shape: Shape): unknown {
  if (applied === undefined) return live;
  if (live === undefined || shape.kind === "scalar" || shape.isAtomic) return applied;
  if (shape.kind === "list") {
    const items = Array.isArray(applied) ? applied : [];
    const before = Array.isArray(live) ? live : [];
    return items.length === 0 && before.length === 0 ? applied : mergeLists(before, items, shape);
  }
  if (shape.kind === "untyped" && (!isMap(live) || !isMap(applied))) return applied;
  return mergeMaps(isMap(live) ? live : {}, isMap(applied) ? applied : {}, shape, applied);
}

function mergeMaps(live: JsonObject, applied: JsonObject, shape: Shape, whole: unknown): unknown {
  const out: JsonObject = { ...live };
  for (const [name, value] of Object.entries(applied)) {
    const before = Object.hasOwn(live, name) ? live[name] : undefined;
    const merged = mergeApplied(before, value, memberOf(shape, name).shape);
    setMember(out, name, merged);
  }
  return Object.keys(out).length === 0 ? whole : out;
}

function mergeLists(live: readonly unknown[], applied: readonly unknown[], shape: ListShape): unknown[] {
  const liveSteps = live.map((each) => itemStep(each, shape));
  const appliedSteps = applied.map((each) => itemStep(each, shape));
  const wanted = new Set(appliedSteps);
  const before = new Map<string, unknown>();
  // Duplicates cannot be told apart, so nothing is merged into them.
  for (const [i, step] of liveSteps.entries()) before.set(step, before.has(step) ? undefined : live[i]);
  const shared = appliedSteps.filter((step) => before.has(step));
  const out: unknown[] = [];
  const taken = new Set<string>();
  const take = (at: number) => {
    const step = appliedSteps[at];
    taken.add(step);
    if (shared[0] === step) shared.shift();
    out.push(mergeApplied(before.get(step), applied[at], shape.item));
  };
  let [l, r] = [0, 0];
  while (l < live.length || r < applied.length) {
    if (l < live.length && r < applied.length) {
      if (liveSteps[l] === appliedSteps[r]) {
        take(r++);
        l++;
        continue;
      }
      // Both sides have it, but it comes later.
      if (wanted.has(liveSteps[l]) && shared.length > 0 && shared[0] !== liveSteps[l]) {
        l++;
        continue;
      }
    }
    if (l < live.length) {
      if (!wanted.has(liveSteps[l])) {
        out.push(live[l++]);
        continue;
      }
      if (taken.has(liveSteps[l])) l++;
    }
    if (r < applied.length) take(r++);
  }
  return out;
}
