/**
 * Which keys of a document matter, as data: what a scanner looks at while it passes by. Everything else is only matched for
 * brackets.
 */

/** Places for the texts that are picked out. */
export const Text = {
  type: 0,
  kind: 1,
  apiVersion: 2,
  resourceVersion: 3,
  name: 4,
  namespace: 5,
  listKind: 6,
  listApiVersion: 7,
  listResourceVersion: 8,
  continue: 9,
  statusReason: 10,
  statusMessage: 11,
} as const;
/** The first of the places that belong to the whole document rather than to one frame. */
export const FIRST_DOCUMENT_TEXT = Text.listKind;
export const TEXT_COUNT = 12;

/** Places for the numbers that are picked out. */
export const Numeric = { remainingItemCount: 0, statusCode: 1 } as const;
export const NUMERIC_COUNT = 2;

/** What becomes of the value of a key. */
export interface KeyRule {
  /** The key's UTF-8 bytes. */
  readonly bytes: Uint8Array;
  readonly name: string;
  /** Its text goes to this place; -1 for none. */
  readonly text: number;
  /** Its number goes to this place; -1 for none. */
  readonly numeric: number;
  /** The object or array is looked into. */
  readonly enter: Shape | undefined;
  /** Its range is what a frame may be rid of. */
  readonly isCut: boolean;
}

/** What is looked for in one object or array. */
export interface Shape {
  readonly keys: readonly KeyRule[];
  /** Set for an array: what each element, an object, is. */
  readonly element: Shape | undefined;
  /** Whether one of these, from its first to its last byte, is a frame. */
  readonly isFrame: boolean;
  /** Whether this is the Kubernetes object within a frame. */
  readonly isObject: boolean;
  /** Whether this is the object's metadata. */
  readonly isMetadata: boolean;
}

interface RuleOptions {
  readonly text?: number;
  readonly numeric?: number;
  readonly enter?: Shape;
  readonly isCut?: boolean;
}

function shape(keys: Record<string, RuleOptions>, options: Partial<Shape> = {}): Shape {
  const encoder = new TextEncoder();
  const rules = Object.entries(keys).map(([name, { text = -1, numeric = -1, enter, isCut = false }]): KeyRule => ({
    bytes: encoder.encode(name),
    name,
    text,
    numeric,
    enter,
    isCut,
  }));
  return { keys: rules, element: undefined, isFrame: false, isObject: false, isMetadata: false, ...options };
}

const METADATA = shape({ resourceVersion: { text: Text.resourceVersion }, managedFields: { isCut: true } }, {
  isMetadata: true,
});
const OBJECT_KEYS = {
  kind: { text: Text.kind },
  apiVersion: { text: Text.apiVersion },
  metadata: { enter: METADATA },
};
const ITEM = shape(OBJECT_KEYS, { isFrame: true, isObject: true });
const LIST_METADATA = shape({
  resourceVersion: { text: Text.listResourceVersion },
  continue: { text: Text.continue },
  remainingItemCount: { numeric: Numeric.remainingItemCount },
});

/** An object of which only the name is looked for. */
export const NAMED = shape({
  metadata: { enter: shape({ name: { text: Text.name }, namespace: { text: Text.namespace } }) },
}, { isFrame: true });

/** `{"type": ..., "object": ...}`. */
export const EVENT = shape({
  type: { text: Text.type },
  object: { enter: shape(OBJECT_KEYS, { isObject: true }) },
}, { isFrame: true });

/** `{"kind": "PodList", "metadata": ..., "items": [...]}`, or the Status or Table that may come in its place. */
export const LIST = shape({
  kind: { text: Text.listKind },
  apiVersion: { text: Text.listApiVersion },
  metadata: { enter: LIST_METADATA },
  items: { enter: shape({}, { element: ITEM }) },
  reason: { text: Text.statusReason },
  message: { text: Text.statusMessage },
  code: { numeric: Numeric.statusCode },
});
