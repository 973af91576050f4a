import { join } from "@std/path";
import type { ModuleFolders } from "./go_modules.ts";

/** What the Go source says about a field but its OpenAPI schema does not. */
export interface GoField {
  readonly name: string;
  readonly isPointer: boolean;
  /** Whether its JSON tag has `omitempty`. */
  readonly omitsEmpty: boolean;
  /** Whether its JSON tag has `omitzero`. */
  readonly omitsZero: boolean;
  /** The path of protobuf field numbers to it: several below embedded structs, none if it is not encoded. */
  readonly numbers: readonly string[];
}

/** A field of a Go struct: its type as written, its name in JSON, and the options in its JSON tag. */
export interface Declaration {
  readonly goName: string;
  readonly name: string;
  readonly type: string;
  readonly options: readonly string[];
  readonly numbers: readonly string[];
}

export type Structs = ReadonlyMap<string, readonly Declaration[]>;

/** All structs in a Go package's `types*.go` and a few other files. */
export function parseGoStructs(source: string): Structs {
  const structs = new Map<string, Declaration[]>();
  for (const [, name, body] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields: Declaration[] = [];
    for (const line of body.split("\n")) {
      const match = /^\t(?!\/\/)(?:(\w+)\s+)?([\w.*[\]{}]+)\s+`json:"([^"]*)"(.*)`/.exec(line);
      if (!match) continue;
      const [jsonName, ...options] = match[3].split(",");
      const number = /protobuf:"\w+,(\d+),/.exec(match[4])?.[1];
      const [, goName = match[2].split(".").at(-1)!, type] = match;
      fields.push({ goName, name: jsonName, type, options, numbers: number ? [number] : [] });
    }
    structs.set(name, fields);
  }
  return structs;
}

/** The fields of a struct, with embedded structs replaced by their fields. */
function flatten(structs: Structs, name: string): readonly Declaration[] {
  const fields = structs.get(name) ?? [];
  return fields.flatMap((field) => {
    if (!field.options.includes("inline")) return [field];
    if (field.type.endsWith("TypeMeta")) return [];
    return flatten(structs, field.type).map((inner) => ({
      ...inner,
      numbers: [...field.numbers, ...inner.numbers],
    }));
  });
}

function fieldOf({ name, type, options, numbers }: Declaration): GoField {
  return {
    name,
    isPointer: type.startsWith("*"),
    omitsEmpty: options.includes("omitempty"),
    omitsZero: options.includes("omitzero"),
    numbers,
  };
}

/** Reads from the sources of Kubernetes what fields each schema's Go type has, in Go's order. */
export function goFieldsIn(folders: ModuleFolders): (schema: string) => readonly GoField[] {
  const packages = new Map<string, Structs>();
  return (schema) => {
    const [, packageName, typeName] = /^(.*)\.(\w+)$/.exec(schema)!;
    let structs = packages.get(packageName);
    if (!structs) packages.set(packageName, structs = structsOf(packageName, folders));
    return flatten(structs, typeName).map(fieldOf);
  };
}

/** The structs of a package: `io.k8s.api.core.v1` is `k8s.io/api/core/v1`. */
function structsOf(packageName: string, folders: ModuleFolders): Structs {
  const [module, ...path] = packageName.split(".").slice(2);
  const folder = join(folders.get(`k8s.io/${module}`)!, ...path);
  const files = [...Deno.readDirSync(folder)].filter(({ name }) =>
    /^(types.*|micro_time|group_version)\.go$/.test(name)
  );
  return parseGoStructs(files.map(({ name }) => Deno.readTextFileSync(join(folder, name))).join("\n"));
}
