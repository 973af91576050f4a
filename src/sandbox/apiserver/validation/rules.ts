import { deepEqual } from "../../../base/mod.ts";
import type { FieldErrors } from "./field_errors.ts";
import { type Format, percent, portName, portNumber } from "./formats.ts";

export type Check<T> = (value: T, at: string, errors: FieldErrors) => void;

/** A check that also applies to a missing value. */
export interface Rule<T> {
  readonly check?: Check<T>;
  readonly missing?: (at: string, errors: FieldErrors) => void;
}

/** The value is required and must pass `check`. */
export function required<T>(check?: Check<T>, detail = ""): Rule<T> {
  return { check, missing: (at, errors) => errors.required(at, detail) };
}

/** A missing value is checked as `empty`. */
export function alsoEmpty<T>(check: Check<T>, empty: NoInfer<T>): Rule<T> {
  return { check, missing: (at, errors) => check(empty, at, errors) };
}

/** If present, the value must be one of `values`. */
export function oneOf<T extends string>(...values: readonly string[]): Check<T> {
  return (value, at, errors) => {
    if (!values.includes(value)) errors.notSupported(at, value, values);
  };
}

export function formatted(format: Format): Check<string> {
  return (value, at, errors) => errors.invalidFor(at, value, format(value));
}

/** Where items have the same `keyOf` as an earlier one. Takes time by their number alone: lists may be long. */
export function repetitions<T>(
  items: readonly T[],
  keyOf: (item: T) => unknown = (item) => item,
): ReadonlySet<number> {
  const seen = new Set<unknown>();
  const found = new Set<number>();
  for (const [i, item] of items.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) found.add(i);
    seen.add(key);
  }
  return found;
}

/** No two items of a list may have the same `keyOf`; `field` is its path. */
export function unique<T>(
  items: readonly T[],
  at: string,
  errors: FieldErrors,
  keyOf: (item: T) => string | 0 | undefined,
  field = "",
): void {
  for (const i of repetitions(items, keyOf)) {
    const key = keyOf(items[i]);
    if (key) errors.duplicate(`${at}[${i}]${field}`, key);
  }
}

/** Like {@link unique}, as a check of a table. */
export function uniqueBy<T>(keyOf: (item: T) => string | undefined, field?: string): Check<readonly T[]> {
  return (items, at, errors) => unique(items, at, errors, keyOf, field);
}

/** Limits the number of items; reports if there are more. */
export function atMost(items: readonly unknown[], most: number, at: string, errors: FieldErrors): boolean {
  if (items.length > most) errors.tooMany(at, items.length, most);
  return items.length <= most;
}

/** Checks a list, unless it has more than `most` items, which is then all that is reported. */
export function upTo<T>(most: number, check: Check<readonly T[]>): Check<readonly T[]> {
  return (items, at, errors) => {
    if (atMost(items, most, at, errors)) check(items, at, errors);
  };
}

export function each<T>(check: Check<T>): Check<readonly T[]> {
  return (items, at, errors) => {
    for (let i = 0; i < items.length; i++) check(items[i], `${at}[${i}]`, errors);
  };
}

export function all<T>(...checks: readonly Check<T>[]): Check<T> {
  return (value, at, errors) => {
    for (const check of checks) check(value, at, errors);
  };
}

export const nonNegative: Check<number> = (value, at, errors) => {
  if (value < 0) errors.invalid(at, value, "must be greater than or equal to 0");
};

export const positive: Check<number> = (value, at, errors) => {
  if (value <= 0) errors.invalid(at, value, "must be greater than zero");
};

/** None of these counters of an object may be negative. */
export function nonNegatives<T extends object>(...names: readonly (keyof T & string)[]): Check<T> {
  return (value, at, errors) => {
    for (const name of names) {
      const count = value[name];
      if (typeof count === "number") nonNegative(count, `${at}.${name}`, errors);
    }
  };
}

export const validPort: Check<number> = (value, at, errors) => errors.invalidFor(at, value, portNumber(value));

export const portOrName: Check<string | number> = (value, at, errors) => {
  if (typeof value === "number") validPort(value, at, errors);
  else errors.invalidFor(at, value, portName(value));
};

/** A non-negative number or percentage. Upstream: ValidatePositiveIntOrPercent. */
export const countOrPercent: Check<string | number> = (value, at, errors) => {
  if (typeof value === "number") nonNegative(value, at, errors);
  else errors.invalidFor(at, value, percent(value));
};

/** `25%` -> 25; undefined if it is not a percentage. */
function percentOf(value: string | number): number | undefined {
  return typeof value === "string" && /^[0-9]+%$/.test(value) ? parseInt(value, 10) : undefined;
}

/** The number in a count or percentage; 0 if it is neither. */
export function amountOf(value: string | number | undefined): number {
  if (value === undefined) return 0;
  return typeof value === "number" ? value : percentOf(value) ?? (/^[-+]?\d+$/.test(value) ? Number(value) : 0);
}

export const atMostHundredPercent: Check<string | number> = (value, at, errors) => {
  if ((percentOf(value) ?? 0) > 100) errors.invalid(at, value, "must not be greater than 100%");
};

export const IMMUTABLE = "field is immutable";

export function unchanged(value: unknown, old: unknown, at: string, errors: FieldErrors): void {
  if (!deepEqual(value, old)) errors.invalid(at, value, IMMUTABLE);
}
