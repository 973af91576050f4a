import { type LabelSelector, NOTHING, type Selector, SelectorError, selectorOf } from "../../api/mod.ts";

/** Parsed selectors by the object they were parsed from. Cached objects never change. */
const parsed = new WeakMap<LabelSelector, Selector | SelectorError>();

/**
 * The selector of a cached object, parsed once per object. An absent selector matches nothing.
 *
 * @throws {SelectorError} If it is invalid.
 */
export function selectorOfCached(labelSelector: LabelSelector | undefined): Selector {
  if (!labelSelector) return NOTHING;
  let result = parsed.get(labelSelector);
  if (!result) parsed.set(labelSelector, result = parse(labelSelector));
  if (result instanceof SelectorError) throw result;
  return result;
}

/** Like {@link selectorOfCached}, but returns `undefined` for an invalid selector. */
export function validSelectorOfCached(labelSelector: LabelSelector | undefined): Selector | undefined {
  try {
    return selectorOfCached(labelSelector);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

function parse(labelSelector: LabelSelector): Selector | SelectorError {
  try {
    return selectorOf(labelSelector);
  } catch (error) {
    if (error instanceof SelectorError) return error;
    throw error;
  }
}

/** Whether a selector is present but empty, so that it matches every object. */
export function selectsEverything(labelSelector: LabelSelector | undefined): boolean {
  return labelSelector !== undefined && Object.keys(labelSelector.matchLabels ?? {}).length === 0 &&
    (labelSelector.matchExpressions ?? []).length === 0;
}
