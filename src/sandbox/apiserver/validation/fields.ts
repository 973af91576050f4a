import { structOf } from "../schema/mod.ts";
import { validateAddress } from "./addresses.ts";
import {
  accountId,
  configMapKey,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  environmentName,
  labelValue,
  pathSegment,
  portName,
  qualifiedName,
} from "./formats.ts";
import { validateLabels, validateLabelSelector } from "./labels.ts";
import {
  alsoEmpty,
  type Check,
  countOrPercent,
  each,
  formatted,
  nonNegative,
  oneOf,
  portOrName,
  positive,
  required,
  type Rule,
  validPort,
} from "./rules.ts";

/** Checks that tables of rules refer to by name. */
const CHECKS = {
  account: (value: number, at, errors) => errors.invalidFor(at, value, accountId(value)),
  address: (value: string, at, errors) => void validateAddress(value, at, errors),
  configKey: formatted(configMapKey),
  countOrPercent,
  dns1035: formatted(dns1035Label),
  envName: formatted(environmentName),
  label: formatted(dnsLabel),
  labels: validateLabels,
  labelValue: formatted(labelValue),
  nonNegative,
  path: formatted(pathSegment),
  port: validPort,
  portName: formatted(portName),
  portOrName,
  positive,
  qualified: formatted(qualifiedName),
  selector: validateLabelSelector,
  subdomain: formatted(dnsSubdomain),
} as const satisfies Readonly<Record<string, Check<never>>>;

/**
 * A rule in words: `!` if the value is required, `*` if an empty one is checked like any other, `[]` if the check applies
 * to each item of a list, and the name of a check; `one` stands for the values in the schema.
 */
type Words = `${"!" | "*" | ""}${"[]" | ""}${keyof typeof CHECKS | "one" | ""}`;

/** Checks of numbers, whose empty value is 0. */
const OF_NUMBERS = ["port", "portOrName", "positive"];

/** Rules by field, in the order in which they run. */
export type FieldRules<T> = { readonly [K in keyof T]?: Words | Check<NonNullable<T[K]>> | Rule<NonNullable<T[K]>> };

/**
 * Makes one check of a table of rules: fields that are present are checked; missing (or empty, which is the same in
 * objects) ones are reported if they are required.
 *
 * @param type The type whose schema lists the values for `one`, and says which fields are present although empty:
 * pointers in Go.
 *
 * @example
 * ```ts
 * import { fields } from "./fields.ts";
 * import { FieldErrors } from "./field_errors.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const check = fields<{ name?: string; protocol?: string }>({ name: "!label", protocol: "one" }, "core.v1.ContainerPort");
 * const errors = new FieldErrors();
 * check({ protocol: "UDP" }, "ports[0]", errors);
 * assertEquals(errors.causes, [{ reason: "FieldValueRequired", message: "Required value", field: "ports[0].name" }]);
 * ```
 */
export function fields<T extends object>(rules: FieldRules<T>, type?: string): Check<T> {
  const known = type === undefined ? undefined : structOf(type)?.fields;
  const rows = Object.entries(rules).map(([name, rule]) => ({
    name: name as keyof T & string,
    isPointer: known?.get(name)?.pointer ?? false,
    rule:
      (typeof rule === "function"
        ? { check: rule }
        : typeof rule === "string"
        ? ruleOf(rule, name, type)
        : rule) as Rule<unknown>,
  }));
  return (value, at, errors) => {
    for (const { name, isPointer, rule } of rows) {
      const item: unknown = value[name];
      const isEmpty = !isPointer && (item === "" || (item === 0 && known !== undefined));
      const found = item === undefined || item === null || isEmpty ? rule.missing : rule.check;
      // Most fields are absent and need no path.
      if (!found) continue;
      const path = at === "" ? name : `${at}.${name}`;
      if (found === rule.missing) rule.missing(path, errors);
      else rule.check?.(item, path, errors);
    }
  };
}

function ruleOf(words: string, field: string, type: string | undefined): Rule<never> {
  const [, must, many, name] = /^([!*]?)((?:\[\])?)(\w*)$/.exec(words)!;
  const one = name === "one" ? valuesOf(type!, field) : CHECKS[name as keyof typeof CHECKS] as Check<never> | undefined;
  const check = many && one ? each(one) : one;
  if (must === "*") return alsoEmpty(check as Check<unknown>, OF_NUMBERS.includes(name) ? 0 : "") as Rule<never>;
  return (must ? required(check as Check<unknown>) : { check }) as Rule<never>;
}

/** Requires one of the values in the schema of a field. */
export function valuesOf(type: string, field: string): Check<string> {
  const values = structOf(type)?.fields.get(field)?.values;
  if (!values) throw new Error(`The schema of ${type} does not list the values of ${field}: name them here`);
  return oneOf(...values);
}
