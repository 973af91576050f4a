import * as types from "./types.ts";

/** One way to call a function. */
export interface Overload {
  readonly isMember: boolean;
  /** For a member, the receiver comes first. */
  readonly args: readonly types.CelType[];
  readonly result: types.CelType;
  /** The names of the type variables. */
  readonly typeParams: readonly string[];
}

const SIMPLE: Readonly<Record<string, types.CelType>> = {
  any: types.ANY,
  bool: types.BOOL,
  bytes: types.BYTES,
  double: types.DOUBLE,
  duration: types.DURATION,
  dyn: types.DYN,
  int: types.INT,
  null: types.NULL,
  string: types.STRING,
  timestamp: types.TIMESTAMP,
  type: types.TYPE,
  uint: types.UINT,
};
const OPAQUE = new Set(["net.IP", "net.CIDR"]);

/**
 * Reads declarations of functions, one per line: `member find: string, string -> string`, with `|` between overloads.
 * Single capitals are type variables.
 */
export function readFunctions(...texts: readonly string[]): ReadonlyMap<string, readonly Overload[]> {
  const functions = new Map<string, Overload[]>();
  for (const line of texts.flatMap((text) => text.trim().split("\n"))) {
    const style = line.slice(0, line.indexOf(" "));
    const end = line.lastIndexOf(": ");
    const name = line.slice(style.length + 1, end);
    const overloads = line.slice(end + 2).split(" | ").map((text) => readOverload(text, style === "member"));
    functions.set(name, [...functions.get(name) ?? [], ...overloads]);
  }
  return functions;
}

function readOverload(text: string, isMember: boolean): Overload {
  const arrow = text.indexOf("-> ");
  const args = splitTypes(text.slice(0, arrow).trim()).map(readType);
  const result = readType(text.slice(arrow + 3));
  const typeParams = new Set<string>();
  for (const type of [...args, result]) collectParams(type, typeParams);
  return { isMember, args, result, typeParams: [...typeParams] };
}

/** Reads a type in the notation of messages. */
export function readType(text: string): types.CelType {
  const open = text.indexOf("(");
  if (open < 0) {
    if (/^[A-Z]$/.test(text)) return types.typeParam(text);
    return SIMPLE[text] ?? (OPAQUE.has(text) ? types.opaque(text) : types.unknownStruct(text));
  }
  const name = text.slice(0, open);
  const params = splitTypes(text.slice(open + 1, -1)).map(readType);
  switch (name) {
    case "list":
      return types.listOf(params[0]);
    case "map":
      return types.mapOf(params[0], params[1]);
    case "type":
      return types.typeOf(params[0]);
    default:
      return types.opaque(name, ...params);
  }
}

/** The parts between commas outside parentheses. */
function splitTypes(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth++;
    if (text[i] === ")") depth--;
    if (text[i] !== "," || depth > 0) continue;
    parts.push(text.slice(start, i).trim());
    start = i + 1;
  }
  const last = text.slice(start).trim();
  return last === "" ? parts : [...parts, last];
}

function collectParams(type: types.CelType, into: Set<string>): void {
  if (type.kind === "param") into.add(type.name);
  for (const param of type.params) collectParams(param, into);
}
