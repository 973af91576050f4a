import { isContainer } from "./json_numbers.ts";

/** How many levels are copied recursively, which is fastest; deeper ones are copied iteratively. */
const RECURSION_LEVELS = 128;

/** Values still to be copied, each followed by the empty container for it. */
type Waiting = object[];

export type LeafMap = (leaf: unknown) => unknown;

const DATA_PROPERTY = { configurable: true, enumerable: true, writable: true };

/**
 * An independent copy of a JSON value of any depth.
 *
 * @param mapLeaf Replaces values that are neither objects nor arrays; by default keeps them.
 */
export function deepCopy<T>(value: T, mapLeaf?: LeafMap): T {
  const waiting: Waiting = [];
  const copy = copyOf(value, 0, waiting, mapLeaf);
  while (waiting.length > 0) {
    const into = waiting.pop()!;
    fill(waiting.pop()!, into, 0, waiting, mapLeaf);
  }
  return copy as T;
}

function copyOf(value: unknown, level: number, waiting: Waiting, mapLeaf: LeafMap | undefined): unknown {
  if (!isContainer(value)) return mapLeaf ? mapLeaf(value) : value;
  const copy = Array.isArray(value) ? new Array(value.length) : {};
  if (level < RECURSION_LEVELS) fill(value, copy, level, waiting, mapLeaf);
  else waiting.push(value, copy);
  return copy;
}

function fill(from: object, into: object, level: number, waiting: Waiting, mapLeaf: LeafMap | undefined): void {
  if (Array.isArray(from)) {
    const copy = into as unknown[];
    for (let i = 0; i < from.length; i++) copy[i] = copyOf(from[i], level + 1, waiting, mapLeaf);
    return;
  }
  const object = from as Readonly<Record<string, unknown>>;
  const copy = into as Record<string, unknown>;
  for (const key of Object.keys(object)) {
    const member = copyOf(object[key], level + 1, waiting, mapLeaf);
    // Assigning this key (which a ConfigMap's data may have) would set the prototype instead.
    if (key === "__proto__") Object.defineProperty(copy, key, { ...DATA_PROPERTY, value: member });
    else copy[key] = member;
  }
}
