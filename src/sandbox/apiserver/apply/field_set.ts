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

/** The node with its children, but not a member; `undefined` if that leaves nothing. */
function withoutOwn(node: FieldSet): FieldSet | undefined {
  const { [OWN]: _own, ...below } = node;
  return hasSteps(below) ? below : undefined;
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
  const out: FieldSetDraft = {};
  const isOwn = isMember(a) && !isMember(b);
  let below = false;
  for (const step in a) {
    if (step === OWN) continue;
    const rest = subtract(a[step], b[step]);
    if (!rest) continue;
    if (isOwn && !below) out[OWN] = LEAF;
    below = true;
    out[step] = rest;
  }
  if (below) return out;
  return isOwn ? LEAF : undefined;
}

/** Paths in both sets. */
export function intersect(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (!a || !b) return undefined;
  const out: FieldSetDraft = {};
  const isOwn = isMember(a) && isMember(b);
  let below = false;
  for (const step in a) {
    if (step === OWN) continue;
    const both = intersect(a[step], b[step]);
    if (!both) continue;
    if (isOwn && !below) out[OWN] = LEAF;
    below = true;
    out[step] = both;
  }
  if (below) return out;
  return isOwn ? LEAF : undefined;
}

/** The set without a path and all paths below it. */
export function withoutBelow(node: FieldSet | undefined, path: readonly string[]): FieldSet | undefined {
  const [step, ...rest] = path;
  if (!node || !(step in node)) return node;
  const { [step]: child, ...others } = node;
  const left = rest.length === 0 ? undefined : withoutBelow(child, rest);
  const out = left ? sorted({ ...others, [step]: left }) : others;
  return hasSteps(out) ? (OWN in out && Object.keys(out).length === 1 ? LEAF : out) : undefined;
}

/** The set without one path; the paths below it stay. */
export function withoutPath(node: FieldSet | undefined, path: readonly string[]): FieldSet | undefined {
  const [step, ...rest] = path;
  if (!node || !(step in node)) return node;
  const { [step]: child, ...others } = node;
  const left = rest.length === 0 ? (hasSteps(child) ? withoutOwn(child) : undefined) : withoutPath(child, rest);
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
