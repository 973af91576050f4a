import type { KubeObject, OwnerReference, Selector } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";

/**
 * The object that a controller reference points to, if cached. Kind, name and uid must match.
 *
 * @param kind The kind that `lister` holds; references to other kinds resolve to nothing.
 */
export function resolveControllerRef<P extends KubeObject>(
  lister: Pick<Lister<P>, "get">,
  kind: string,
  child: KubeObject,
  reference: OwnerReference,
): P | undefined {
  if (reference.kind !== kind) return undefined;
  const parent = lister.get(child.metadata?.namespace, reference.name);
  // A parent that was deleted and recreated has another uid and does not own its predecessor's children.
  return parent?.metadata?.uid === reference.uid ? parent : undefined;
}

/**
 * The parents that could want to adopt `orphan`: those of its namespace whose selector is valid, not empty, and
 * matches. No parent wants an object without labels.
 *
 * @param selectorFor A parent's selector, `undefined` if it is invalid.
 */
export function parentsMatching<P extends KubeObject>(
  lister: Pick<Lister<P>, "list">,
  orphan: KubeObject,
  selectorFor: (parent: P) => Selector | undefined,
): P[] {
  const { namespace, labels } = orphan.metadata ?? {};
  if (!labels || Object.keys(labels).length === 0) return [];
  return lister.list({ namespace }).filter((parent) => {
    const selector = selectorFor(parent);
    return selector !== undefined && !selector.isEmpty && selector.matches(labels);
  });
}
