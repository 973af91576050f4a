/**
 * A set of paths into an object, as a tree. It is written as `FieldsV1`: `f:<field>`, `k:<keys of a list item>`,
 * `v:<value in a set>`, and `.` for a node that is a member although it has members below it.
 * Upstream: `sigs.k8s.io/structured-merge-diff/fieldpath`.
 */
export interface FieldSet {
  /** Whether the path that leads here is in the set. */
  readonly own: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;
}

/** The set without members. */
export const NO_FIELDS: FieldSet = { own: false, children: new Map() };
/** The set of one path, seen from its end. */
export const LEAF: FieldSet = { own: true, children: new Map() };

/** A set with these members below; children without members are left out. */
export function fieldSet(own: boolean, children: Iterable<readonly [string, FieldSet]>): FieldSet {
  return { own, children: new Map([...children].filter(([, child]) => !isEmptySet(child))) };
}

export function isEmptySet(set: FieldSet): boolean {
  return !set.own && set.children.size === 0;
}

/** Paths in either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a)) return b;
  if (isEmptySet(b)) return a;
  const children = new Map(a.children);
  for (const [step, child] of b.children) children.set(step, union(children.get(step) ?? NO_FIELDS, child));
  return { own: a.own || b.own, children };
}

/** Paths in `a` and not in `b`. */
export function subtract(a: FieldSet, b: FieldSet): FieldSet {
  return fieldSet(
    a.own && !b.own,
    [...a.children].map(([step, child]) => {
      const other = b.children.get(step);
      return [step, other ? subtract(child, other) : child] as const;
    }),
  );
}

/** Paths in both sets. */
export function intersect(a: FieldSet, b: FieldSet): FieldSet {
  return fieldSet(
    a.own && b.own,
    [...a.children].map(([step, child]) => [step, intersect(child, b.children.get(step) ?? NO_FIELDS)] as const),
  );
}

/** The paths as messages show them: `.spec.containers[name="c"].image`. */
export function pathTexts(set: FieldSet, path = ""): string[] {
  const below = [...set.children].flatMap(([step, child]) => pathTexts(child, path + stepText(step)));
  return set.own ? [path, ...below] : below;
}

function stepText(step: string): string {
  const rest = step.slice(2);
  if (step.startsWith("f:")) return `.${rest}`;
  if (step.startsWith("v:")) return `[=${rest}]`;
  const keys = Object.entries(JSON.parse(rest) as Record<string, unknown>);
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(",")}]`;
}

/** As `fieldsV1` holds it. */
export function toFieldsV1(set: FieldSet): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  if (set.own && set.children.size > 0) out["."] = {};
  for (const [step, child] of set.children) out[step] = toFieldsV1(child);
  return out;
}

export function fromFieldsV1(fields: unknown): FieldSet {
  const entries = Object.entries((fields ?? {}) as Record<string, unknown>);
  const children = entries.filter(([step]) => step !== ".").map(([step, child]) =>
    [step, fromFieldsV1(child)] as const
  );
  return fieldSet(entries.length === 0 || entries.length > children.length, children);
}
