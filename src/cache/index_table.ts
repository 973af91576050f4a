import { errorText } from "../base/mod.ts";

/** The values under which an index finds an object; an empty list for objects the index does not care about. */
export type IndexFunction<T> = { valuesOf(object: T): readonly string[] }["valuesOf"];

/** Index functions by the name of their index. */
export type Indexers<T> = Readonly<Record<string, IndexFunction<T>>>;

/** Called with what an index function threw; the object is then found under no value of that index. */
export type IndexErrorHandler = (error: Error) => void;

const NO_VALUES: readonly string[] = [];
const NO_KEYS: ReadonlySet<string> = new Set();

/** One index: value to the keys of the objects that have it. A value that nothing has any more takes no memory. */
export class IndexTable<T> {
  readonly name: string;
  readonly valuesOf: IndexFunction<T>;
  readonly #keys = new Map<string, Set<string>>();
  readonly #onError: IndexErrorHandler;

  constructor(name: string, valuesOf: IndexFunction<T>, onError: IndexErrorHandler) {
    this.name = name;
    this.valuesOf = valuesOf;
    this.#onError = onError;
  }

  /** The values in use. */
  values(): string[] {
    return [...this.#keys.keys()];
  }

  keysOf(value: string): ReadonlySet<string> {
    return this.#keys.get(value) ?? NO_KEYS;
  }

  /** Moves `key` from the values of `before` to those of `after`; `undefined` stands for no object. */
  update(key: string, before: T | undefined, after: T | undefined): void {
    const oldValues = before === undefined ? NO_VALUES : this.read(key, before);
    const newValues = after === undefined ? NO_VALUES : this.read(key, after);
    if (oldValues.length === 1 && newValues.length === 1 && oldValues[0] === newValues[0]) return;
    for (const value of oldValues) if (!newValues.includes(value)) this.#remove(value, key);
    for (const value of newValues) this.#add(value, key);
  }

  /** The index function's values for `object`; none if it throws, which is reported. */
  read(key: string, object: T): readonly string[] {
    try {
      const values = this.valuesOf(object);
      if (!Array.isArray(values)) throw new TypeError("it returned no list");
      return values;
    } catch (error) {
      const why = errorText(error);
      const message = `unable to calculate an index entry for key "${key}" on index "${this.name}": ${why}`;
      this.#onError(new Error(message, { cause: error }));
      return NO_VALUES;
    }
  }

  #add(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys) keys.add(key);
    else this.#keys.set(value, new Set([key]));
  }

  #remove(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys?.delete(key) && keys.size === 0) this.#keys.delete(value);
  }
}
