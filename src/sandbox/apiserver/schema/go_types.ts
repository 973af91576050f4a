import { FIELDS } from "./generated_fields.ts";
import type { StructType } from "./types.ts";

/** What Go calls a field in its messages about values that do not fit. */
export interface GoName {
  /** Such as `int32` or `[]v1.Container`. */
  readonly type: string;
  /** Names of the embedded structs that lead to the field, such as `VolumeSource`. */
  readonly embedded: readonly string[];
}

const SCALARS: Readonly<Record<string, string>> = {
  string: "string",
  integer: "int64",
  number: "float64",
  boolean: "bool",
  bytes: "[]uint8",
  quantity: "resource.Quantity",
  intOrString: "intstr.IntOrString",
  time: "v1.Time",
  microTime: "v1.MicroTime",
};

/** The Go type that a type code of `generated_fields.ts` stands for, unless the field says otherwise. */
export function goTypeOfCode(code: string): string {
  if (code.startsWith("[]")) return `[]${goTypeOfCode(code.slice(2))}`;
  if (code.startsWith("{}")) return `map[string]${goTypeOfCode(code.slice(2))}`;
  return SCALARS[code] ?? code.split(".").slice(-2).join(".");
}

/**
 * What Go calls the fields of a struct. Read from the table when something is wrong with a request; nothing else needs it.
 *
 * @example
 * ```ts
 * import { goNamesOf } from "./go_types.ts";
 * import { structOf } from "./types.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(goNamesOf(structOf("core.v1.PodSpec")!).get("restartPolicy")?.type, "v1.RestartPolicy");
 * ```
 */
export function goNamesOf({ name: struct }: StructType): ReadonlyMap<string, GoName> {
  const names = new Map<string, GoName>();
  for (const part of FIELDS[struct].replace(/^atomic;/, "").split(" ")) {
    const [name, code, flags = ""] = part.split(":");
    const option = (key: string) => flags.split(",").find((flag) => flag.startsWith(`${key}=`))?.slice(key.length + 1);
    names.set(name, { type: option("go") ?? goTypeOfCode(code), embedded: option("in")?.split(".") ?? [] });
  }
  return names;
}
