/** Names that must be escaped in an expression. Upstream: `apiserver/pkg/cel/escaping.go`. */
const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while"
    .split(" "),
);
const ESCAPES: Readonly<Record<string, string>> = { "__": "underscores", ".": "dot", "-": "dash", "/": "slash" };
const ESCAPED = new Map(Object.entries(ESCAPES).map(([plain, word]) => [`__${word}__`, plain]));

/** Whether a name is reserved by the language. */
export function isReserved(name: string): boolean {
  return RESERVED.has(name);
}

/** The property that a name in an expression refers to, if the object has it. */
export function toProperty(properties: Readonly<Record<string, unknown>>, identifier: string): string | undefined {
  const property = unescape(identifier);
  return Object.hasOwn(properties, property) && toIdentifier(property) === identifier ? property : undefined;
}

/** The name of a property in an expression; `undefined` if it has none. */
export function toIdentifier(property: string): string | undefined {
  if (isReserved(property)) return `__${property}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(property)) return undefined;
  return property.replaceAll(/__|[./-]/g, (part) => `__${ESCAPES[part]}__`);
}

function unescape(identifier: string): string {
  const whole = /^__([a-z]+)__$/.exec(identifier)?.[1];
  if (whole !== undefined && isReserved(whole)) return whole;
  return identifier.replaceAll(/__[a-z]+__/g, (part) => ESCAPED.get(part) ?? part);
}
