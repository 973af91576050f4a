/** Up to this many values it is cheaper to look at each than to look for their set. */
const FEW = 16;

const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/**
 * Whether `value` is one of `values`, as a requirement of a selector lists them: in constant time, since tenants list
 * tens of thousands, and each is compared with every pod.
 *
 * @param values A list that is not changed any more.
 */
export function isAmong(values: readonly string[], value: string): boolean {
  if (values.length <= FEW) return values.includes(value);
  let set = sets.get(values);
  if (!set) sets.set(values, set = new Set(values));
  return set.has(value);
}
