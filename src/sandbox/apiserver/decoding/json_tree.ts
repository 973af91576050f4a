import { isRawNumber } from "../../../base/mod.ts";
import type { RepeatedKey } from "./yaml_survey.ts";

/** JSON with what `JSON.parse` loses: duplicate members, and numbers as they were written. */
export type JsonTree =
  | { readonly kind: "object"; readonly members: ReadonlyArray<readonly [name: string, value: JsonTree]> }
  | { readonly kind: "array"; readonly items: readonly JsonTree[] }
  | { readonly kind: "number"; readonly text: string }
  /** A string, a boolean or null. */
  | { readonly kind: "other" };

const OTHER: JsonTree = { kind: "other" };
const TOKEN = /[{}[\],:]|"(?:[^"\\]|\\.)*"?|[^\s{}[\],:"]+/gs;

/** Parses a text, which must be valid JSON. */
export function parseTree(text: string): JsonTree {
  const tokens = text.match(TOKEN) ?? [];
  let at = 0;
  const value = (): JsonTree => {
    const token = tokens[at++];
    if (token === "{") return { kind: "object", members: until("}", member) };
    if (token === "[") return { kind: "array", items: until("]", value) };
    return /^["tfn]/.test(token) ? OTHER : { kind: "number", text: token };
  };
  const member = (): [string, JsonTree] => {
    const name: string = JSON.parse(tokens[at]);
    at += 2;
    return [name, value()];
  };
  const until = <T>(end: string, read: () => T): T[] => {
    const found: T[] = [];
    while (tokens[at] !== end) {
      found.push(read());
      if (tokens[at] === ",") at++;
    }
    at++;
    return found;
  };
  return value();
}

/** What a JSON text reveals that its parsed value does not. */
export interface JsonShape {
  /** The number of object members, duplicates included. */
  readonly members: number;
  /** How deep objects and arrays are nested. */
  readonly depth: number;
}

export function jsonShape(text: string): JsonShape {
  let members = 0;
  let level = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // Nothing counts inside quotes.
        for (i++; i < text.length && text.charCodeAt(i) !== 0x22; i++) if (text.charCodeAt(i) === 0x5c) i++;
        break;
      case 0x3a:
        members++;
        break;
      case 0x5b:
      case 0x7b:
        if (++level > depth) depth = level;
        break;
      case 0x5d:
      case 0x7d:
        level--;
    }
  }
  return { members, depth };
}

/** The number of object members in a value; smaller than in its text if the text has duplicates. */
export function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null || isRawNumber(value)) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item);
    return count;
  }
  for (const name in value) count += 1 + countMembers((value as Record<string, unknown>)[name]);
  return count;
}

export function treeOfDocument({ text, value }: { readonly text?: string; readonly value: unknown }): JsonTree {
  return parseTree(text ?? JSON.stringify(value));
}

/** Duplicate keys in a text, which must be valid JSON, with their lines; the first line is 1. */
export function repeatedKeys(text: string): RepeatedKey[] {
  const found: RepeatedKey[] = [];
  const open: (Set<string> | undefined)[] = [];
  let line = 1;
  let at = 0;
  let last: string | undefined;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    for (; at < index; at++) if (text.charCodeAt(at) === 0x0a) line++;
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const key: string = JSON.parse(last!);
      const keys = open.at(-1)!;
      if (keys.has(key)) found.push({ key, line });
      keys.add(key);
    }
    last = token;
  }
  return found;
}
