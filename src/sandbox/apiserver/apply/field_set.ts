/**
 * A set of paths into an object, in the form of `fieldsV1`: `f:<field>`, `k:<keys of a list item>` and `v:<value in a
 * set>` lead down. A node without children is a member; a node with children is a member if it also has `.`. Immutable.
 * Upstream: `sigs.k8s.io/structured-merge-diff/fieldpath` (Set).
 */
export interface FieldSet {
  readonly [step: string]: FieldSet;
}

/** A set under construction. */
export type FieldSetDraft = Record<string, FieldSet>;

const OWN = ".";

/** The last node of a path. */
export const LEAF: FieldSet = Object.freeze({});

/** Whether the path that leads to this node is in the set. */
export function isMember(node: FieldSet): boolean {
  for (const step in node) return step === OWN || OWN in node;
  return true;
}

/** The node as a member, with its children. */
export function asMember(node: FieldSet): FieldSet {
  return isMember(node) ? node : { [OWN]: LEAF, ...node };
}

function hasSteps(node: FieldSet): boolean {
  for (const _step in node) return true;
  return false;
}

/** Paths in either set; `undefined` is the empty set. */
export function union(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (!a || !b || a === b) return a ?? b;
  const out: FieldSetDraft = { ...a };
  if ((isMember(a) || isMember(b)) && (hasSteps(a) || hasSteps(b))) out[OWN] = LEAF;
  for (const step in b) if (step !== OWN) out[step] = union(a[step], b[step])!;
  return sorted(out);
}

/** Paths in `a` and not in `b`. */
export function subtract(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (!a || !b) return a;
  return partOf(a, isMember(a) && !isMember(b), (step) => subtract(a[step], b[step]));
}

/** Paths in both sets. */
export function intersect(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (!a || !b) return undefined;
  return partOf(a, isMember(a) && isMember(b), (step) => intersect(a[step], b[step]));
}

/** A part of a set: of its node as a member if `isOwn`, and of each child what `below` says. */
export function partOf(
  node: FieldSet,
  isOwn: boolean,
  below: (step: string) => FieldSet | undefined,
): FieldSet | undefined {
  const out: FieldSetDraft = {};
  let isEmpty = true;
  for (const step in node) {
    const child = step === OWN ? undefined : below(step);
    if (!child) continue;
    if (isOwn && isEmpty) out[OWN] = LEAF;
    isEmpty = false;
    out[step] = child;
  }
  if (!isEmpty) return out;
  return isOwn ? LEAF : undefined;
}

/** The set without a path and all paths below it. */
export function withoutBelow(node: FieldSet | undefined, path: readonly string[]): FieldSet | undefined {
  return without(node, path, () => undefined);
}

/** The set without one path; the paths below it stay. */
export function withoutPath(node: FieldSet | undefined, path: readonly string[]): FieldSet | undefined {
  return without(node, path, ({ [OWN]: _own, ...below }) => hasSteps(below) ? below : undefined);
}

/** @param leave What stays of the node to which the path leads. */
function without(
  node: FieldSet | undefined,
  [step, ...rest]: readonly string[],
  leave: (node: FieldSet) => FieldSet | undefined,
): FieldSet | undefined {
  if (!node || !(step in node)) return node;
  const { [step]: child, ...others } = node;
  const left = rest.length === 0 ? leave(child) : without(child, rest, leave);
  const out = left ? sorted({ ...others, [step]: left }) : others;
  return hasSteps(out) ? (OWN in out && Object.keys(out).length === 1 ? LEAF : out) : undefined;
}

export function hasPath(node: FieldSet | undefined, path: readonly string[]): boolean {
  let at: FieldSet | undefined = node;
  for (const step of path) at = at?.[step];
  return at !== undefined && isMember(at);
}

export function isSameSet(a: FieldSet | undefined, b: FieldSet | undefined): boolean {
  return !subtract(a, b) && !subtract(b, a);
}

/** The node with its steps in upstream's order. */
export function sorted(node: FieldSetDraft): FieldSet {
  const steps = Object.keys(node);
  for (let i = 1; i < steps.length; i++) {
    if (steps[i] >= steps[i - 1]) continue;
    const out: FieldSetDraft = {};
    for (const step of steps.sort()) out[step] = node[step];
    return out;
  }
  return node;
}

/** The paths as in messages, such as `.spec.containers[name="c"].image`: a node's own before those of its children. */
export function pathTexts(node: FieldSet, path = ""): string[] {
  const out: string[] = [];
  const steps = Object.keys(node).filter((step) => step !== OWN).sort();
  for (const step of steps) if (isMember(node[step])) out.push(path + stepText(step));
  for (const step of steps) if (hasSteps(node[step])) out.push(...pathTexts(node[step], path + stepText(step)));
  return out;
}

/** A step as part of a path's text. */
export function stepText(step: string): string {
  const rest = step.slice(2);
  if (step.startsWith("f:")) return `.${rest}`;
  if (step.startsWith("v:")) return `[=${rest}]`;
  const keys = Object.entries(JSON.parse(rest) as Record<string, unknown>);
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(",")}]`;
}
