import { deepEqual } from "../../../base/mod.ts";
import type { FieldErrors } from "./field_errors.ts";
import { type Format, percent, portName, portNumber } from "./formats.ts";

/** What holds for one value: finds what is wrong with `value`, which stands at the path `at`. */
export type Check<T> = (value: T, at: string, errors: FieldErrors) => void;

/** A check that also has something to say about a value that is not there. */
export interface Rule<T> {
  readonly check?: Check<T>;
  readonly missing?: (at: string, errors: FieldErrors) => void;
}

/** The value must be there; if it is, `check` holds. */
export function required<T>(check?: Check<T>, detail = ""): Rule<T> {
  return { check, missing: (at, errors) => errors.required(at, detail) };
}

/** If the value is there it is one of `values`. */
export function oneOf<T extends string>(...values: readonly string[]): Check<T> {
  return (value, at, errors) => {
    if (!values.includes(value)) errors.notSupported(at, value, values);
  };
}

export function formatted(format: Format): Check<string> {
  return (value, at, errors) => {
    const problems = format(value);
    if (problems.length > 0) errors.invalidFor(at, value, problems);
  };
}

/** Items of a list of which none may come twice; `keyOf` says what tells them apart, `field` where that stands. */
export function unique<T>(
  items: readonly T[],
  at: string,
  errors: FieldErrors,
  keyOf: (item: T) => string | 0 | undefined,
  field = "",
): void {
  if (items.length < 2) return;
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const key = keyOf(item);
    if (!key) continue;
    if (seen.has(key)) errors.duplicate(`${at}[${i}]${field}`, key);
    seen.add(key);
  }
}

/** At most so many items; reports if there are more. */
export function atMost(items: readonly unknown[], most: number, at: string, errors: FieldErrors): boolean {
  if (items.length > most) errors.tooMany(at, items.length, most);
  return items.length <= most;
}

/** Every item of a list. */
export function each<T>(check: Check<T>): Check<readonly T[]> {
  return (items, at, errors) => {
    for (let i = 0; i < items.length; i++) check(items[i], `${at}[${i}]`, errors);
  };
}

/** All of `checks`, in order. */
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

/** Several counters of an object, none of which may be negative. */
export function nonNegatives<T extends object>(...names: readonly (keyof T & string)[]): Check<T> {
  return (value, at, errors) => {
    for (const name of names) {
      const count = value[name];
      if (typeof count === "number") nonNegative(count, `${at}.${name}`, errors);
    }
  };
}

export const validPort: Check<number> = (value, at, errors) => {
  const problems = portNumber(value);
  if (problems.length > 0) errors.invalidFor(at, value, problems);
};

/** A port by number or by name. */
export const portOrName: Check<string | number> = (value, at, errors) => {
  if (typeof value === "number") validPort(value, at, errors);
  else errors.invalidFor(at, value, portName(value));
};

/** A number or a percentage that is not negative. Upstream: ValidatePositiveIntOrPercent. */
export const countOrPercent: Check<string | number> = (value, at, errors) => {
  if (typeof value === "number") nonNegative(value, at, errors);
  else errors.invalidFor(at, value, percent(value));
};

/** `25%` -> 25; undefined for anything that is no percentage. */
function percentOf(value: string | number): number | undefined {
  return typeof value === "string" && /^[0-9]+%$/.test(value) ? parseInt(value, 10) : undefined;
}

/** The number in a count or percentage; 0 for what is neither. */
export function amountOf(value: string | number | undefined): number {
  if (value === undefined) return 0;
  return typeof value === "number" ? value : percentOf(value) ?? (/^[-+]?\d+$/.test(value) ? Number(value) : 0);
}

export const atMostHundredPercent: Check<string | number> = (value, at, errors) => {
  if ((percentOf(value) ?? 0) > 100) errors.invalid(at, value, "must not be greater than 100%");
};

export const IMMUTABLE = "field is immutable";

/** Reports a value that differs from what it was. */
export function unchanged(
  value: unknown,
  old: unknown,
  at: string,
  errors: FieldErrors,
): void {
  if (!deepEqual(value, old)) errors.invalid(at, value, IMMUTABLE);
}

/** Fields that keep the value they were created with. */
export function immutable<T extends object>(
  ...names: readonly (keyof T & string)[]
): (value: T | undefined, old: T | undefined, at: string, errors: FieldErrors) => void {
  return (value, old, at, errors) => {
    for (const name of names) unchanged(value?.[name], old?.[name], at === "" ? name : `${at}.${name}`, errors);
  };
}
