import { isContainer, isRawNumber } from "./json_numbers.ts";

/** The format of written values. */
export interface JsonForm {
  /** The keys of an object in their order. */
  keys(object: object): readonly string[];
  /** A string with its quotes. */
  text(text: string): string;
}

/** An object or array that is being written. */
interface Open {
  /** The keys of an object. */
  readonly keys: readonly string[] | undefined;
  readonly values: readonly unknown[];
  next: number;
}

/** Writes a JSON value of any depth without white space; members that are `undefined` are left out. */
export function writeJson(value: unknown, form: JsonForm): string {
  let open: Open = { keys: undefined, values: [value], next: 0 };
  const outer: Open[] = [];
  let written = "";
  for (;;) {
    const { keys, values, next } = open;
    if (next === values.length) {
      const parent = outer.pop();
      if (!parent) return written;
      written += keys ? "}" : "]";
      open = parent;
      continue;
    }
    open.next++;
    if (next > 0) written += ",";
    if (keys) written += `${form.text(keys[next])}:`;
    const member = values[next];
    if (isContainer(member)) {
      outer.push(open);
      open = opened(member, form);
      written += open.keys ? "{" : "[";
    } else written += leafText(member, form);
  }
}

function opened(value: object, form: JsonForm): Open {
  if (Array.isArray(value)) return { keys: undefined, values: value, next: 0 };
  const members = value as Readonly<Record<string, unknown>>;
  const keys = form.keys(value).filter((key) => members[key] !== undefined);
  return { keys, values: keys.map((key) => members[key]), next: 0 };
}

function leafText(value: unknown, { text }: JsonForm): string {
  if (typeof value === "string") return text(value);
  if (typeof value === "number" || typeof value === "boolean") return JSON.stringify(value);
  return isRawNumber(value) ? value.rawJSON : "null";
}
