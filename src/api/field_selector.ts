import { SelectorError } from "./label_requirement.ts";
import { compareUtf8 } from "../base/mod.ts";

/** One condition of a field selector. */
export interface FieldRequirement {
  /** The path of the field: `spec.nodeName`. */
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** A set of requirements on fields, all of which must hold. */
export interface FieldSelector {
  /** @param get The field's value as text; empty when it is not set. */
  matches(get: (path: string) => string): boolean;
  readonly isEmpty: boolean;
  readonly requirements: readonly FieldRequirement[];
  /** The canonical text, as a `fieldSelector` parameter carries it. */
  toString(): string;
}

class RequirementFieldSelector implements FieldSelector {
  readonly requirements: readonly FieldRequirement[];

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  matches(get: (path: string) => string): boolean {
    return this.requirements.every(({ field, operator, value }) => (get(field) === value) === (operator === "="));
  }

  toString(): string {
    return this.requirements.map(({ field, operator, value }) => field + operator + escapeFieldValue(value)).join(",");
  }
}

/**
 * Parses the `fieldSelector` parameter: `a=b`, `a==b`, `a!=b`, joined by commas; a value spells comma, equals sign and
 * backslash with a backslash before them. Upstream: `k8s.io/apimachinery/pkg/fields` (ParseSelector).
 *
 * @throws {SelectorError} If the text is not a field selector; the message is upstream's.
 *
 * @example
 * ```ts
 * import { parseFieldSelector } from "kubeloop/api";
 * import { assertEquals } from "@std/assert";
 *
 * const selector = parseFieldSelector("status.phase!=Failed,spec.nodeName==n1");
 * assertEquals(selector.toString(), "spec.nodeName=n1,status.phase!=Failed");
 * assertEquals(selector.matches((path) => path === "spec.nodeName" ? "n1" : "Running"), true);
 * ```
 */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).sort(compareUtf8).filter((term) => term !== "");
  return fieldSelectorOf(terms.map((term) => {
    const match = /^([^]*?)(!=|==|=)([^]*)$/.exec(term);
    if (!match) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field, operator, value] = match;
    return { field, operator: operator === "!=" ? "!=" : "=", value: unescapeFieldValue(value) };
  }));
}

/** A selector of these requirements. */
export function fieldSelectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  // Upstream drops a requirement whose field and value are both empty.
  return new RequirementFieldSelector(requirements.filter(({ field, value }) => field !== "" || value !== ""));
}

/** `value` as it must be written in a field selector. */
function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

function splitTerms(text: string): string[] {
  return text.match(/(?:\\[^]|[^,\\]|\\$)+/g) ?? [];
}

function unescapeFieldValue(text: string): string {
  return text.replace(/\\([^]?)|[,=]/gu, (found, escaped: string | undefined) => {
    if (escaped === undefined) {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${found.codePointAt(0)}`);
    }
    if (!"\\,=".includes(escaped) || escaped === "") {
      throw new SelectorError(`invalid field selector: invalid escape sequence: \\${escaped}`);
    }
    return escaped;
  });
}
