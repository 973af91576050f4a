/**
 * Writes `go_fields.json`: what the Go source says about the fields of built-in types but the OpenAPI schemas do not,
 * namely their order, pointers, `omitempty` and protobuf numbers.
 *
 * Only needed when the Kubernetes version changes. Requires Go: run `deno run -A
 * src/sandbox/apiserver/schema/extract_go_fields.ts`, then `deno task gen`. The Go modules are those pinned in
 * `tests/controlplane`.
 */
import { goModuleFolder } from "../base/mod.ts";
import { formatGoField, type GoField, servedSchemas, shortName } from "./go_fields.ts";

/** A field of a Go struct: its type as written, and the options in its JSON tag. */
interface Declaration {
  readonly name: string;
  readonly type: string;
  readonly options: readonly string[];
  /** The path of protobuf field numbers to it: several below embedded structs, none if it is not encoded. */
  readonly numbers: readonly string[];
}

/** The Go module and folder that declares a schema. */
function goPackage(name: string): { module: string; folder: string } {
  const parts = name.split(".").slice(2, -1);
  if (parts[0] === "api") return { module: "k8s.io/api", folder: parts.slice(1).join("/") };
  return { module: `k8s.io/${parts[0]}`, folder: parts.slice(1).join("/") };
}

/** All structs in a Go package's `types*.go` and a few other files. */
export function parseGoStructs(source: string): Map<string, Declaration[]> {
  const structs = new Map<string, Declaration[]>();
  for (const [, name, body] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields: Declaration[] = [];
    for (const line of body.split("\n")) {
      const match = /^\t(?!\/\/)(?:(\w+)\s+)?([\w.*[\]{}]+)\s+`json:"([^"]*)"(.*)`/.exec(line);
      if (!match) continue;
      const [jsonName, ...options] = match[3].split(",");
      const number = /protobuf:"\w+,(\d+),/.exec(match[4])?.[1];
      fields.push({ name: jsonName, type: match[2], options, numbers: number ? [number] : [] });
    }
    structs.set(name, fields);
  }
  return structs;
}

/** The fields of a struct, with embedded structs replaced by their fields. */
function flatten(structs: Map<string, Declaration[]>, name: string): Declaration[] {
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

async function structsOf(name: string, root: URL): Promise<Map<string, Declaration[]>> {
  const { module, folder } = goPackage(name);
  const path = `${await goModuleFolder(module, root)}/${folder}`;
  const files = [...Deno.readDirSync(path)].filter(({ name }) => /^(types.*|micro_time|group_version)\.go$/.test(name));
  return parseGoStructs(files.map(({ name }) => Deno.readTextFileSync(`${path}/${name}`)).join("\n"));
}

if (import.meta.main) {
  const root = new URL("../../../../", import.meta.url);
  const read = async (name: string) => JSON.parse(await Deno.readTextFile(new URL(`src/api/openapi/${name}`, root)));
  const schemas = servedSchemas(await read("schemas.json"), await read("optional.json"));
  const packages = new Map<string, Map<string, Declaration[]>>();
  const types: Record<string, string> = {};
  for (const name of Object.keys(schemas)) {
    const [, packageName, typeName] = /^(.*)\.(\w+)$/.exec(name)!;
    let structs = packages.get(packageName);
    if (!structs) packages.set(packageName, structs = await structsOf(name, root));
    const fields = flatten(structs, typeName).map(fieldOf);
    if (fields.length > 0 && !typeName.endsWith("List")) types[shortName(name)] = fields.map(formatGoField).join(" ");
  }
  await Deno.writeTextFile(new URL("go_fields.json", import.meta.url), JSON.stringify(types, null, 2) + "\n");
}
