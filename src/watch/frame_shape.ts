/** Describes as data which keys of a document a scanner extracts. Everything else is only matched for brackets. */

/** Slots for extracted texts. */
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
/** The first slot that belongs to the whole document instead of one frame. */
export const FIRST_DOCUMENT_TEXT = Text.listKind;
export const TEXT_COUNT = 12;

/** Slots for extracted numbers. */
export const Numeric = { remainingItemCount: 0, statusCode: 1 } as const;
export const NUMERIC_COUNT = 2;

/** What to do with a key's value. */
export interface KeyRule {
  /** The key's UTF-8 bytes. */
  readonly bytes: Uint8Array;
  readonly name: string;
  /** The slot for its text; -1 for none. */
  readonly text: number;
  /** The slot for its number; -1 for none. */
  readonly numeric: number;
  /** The shape of its object or array. */
  readonly enter: Shape | undefined;
  /** Whether it may be cut out of a frame. */
  readonly isCut: boolean;
}

/** What to extract from an object or array. */
export interface Shape {
  readonly keys: readonly KeyRule[];
  /** For an array, the shape of its elements, which are objects. */
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

/** An object; only its name is extracted. */
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
