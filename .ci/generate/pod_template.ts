import { join } from "@std/path";
import type { ModuleFolders } from "./go_modules.ts";
import { type Declaration, parseGoStructs, type Structs } from "./go_structs.ts";

/** The Go files with the types of a pod template. */
export interface TemplateSources {
  /** `k8s.io/api/core/v1/types.go` */
  readonly core: string;
  /** `k8s.io/apimachinery/pkg/apis/meta/v1/types.go` */
  readonly meta: string;
  /** `k8s.io/apimachinery/pkg/types/uid.go` */
  readonly types: string;
}

const ROOT = "v1.PodTemplateSpec";
/** Never set in a template, or with an encoding of its own. */
const OPAQUE: readonly string[] = ["v1.ManagedFieldsEntry", "v1.Time"];

/** Reads them from the sources of Kubernetes. */
export async function readTemplateSources(folders: ModuleFolders): Promise<TemplateSources> {
  const read = (module: string, path: string) => Deno.readTextFile(join(folders.get(module)!, path));
  return {
    core: await read("k8s.io/api", "core/v1/types.go"),
    meta: await read("k8s.io/apimachinery", "pkg/apis/meta/v1/types.go"),
    types: await read("k8s.io/apimachinery", "pkg/types/uid.go"),
  };
}

/**
 * Every Go type that a pod template leads to, by the name that Go's reflection prints: for structs their fields in order, each as its
 * name, type, key in JSON and flags (`o` for omitempty, `i` for embedded), for others what they are made of.
 *
 * @throws {Error} If two types have the same name.
 */
export function renderPodTemplate({ core, meta, types }: TemplateSources, version: string): string {
  const packages = new Map([["v1", [core, meta].map(declarationsIn)], ["types", [declarationsIn(types)]]]);
  const structs = new Map<string, readonly string[]>();
  const others = new Map<string, string>();
  const seen = new Set(OPAQUE);
  const open = [ROOT];
  for (let name = open.pop(); name; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const [packageName, own] = name.split(".");
    const found = (packages.get(packageName) ?? []).filter(({ structs, others }) =>
      structs.has(own) || others.has(own)
    );
    if (found.length > 1) throw new Error(`Two types are called ${name}`);
    for (const declared of found) {
      const fields = declared.structs.get(own);
      const other = declared.others.get(own);
      if (fields) structs.set(name, fields.map(rowOf));
      else others.set(name, printed(other!));
      const made = fields?.map(({ type }) => type) ?? [other!];
      open.push(...made.flatMap((type) => printed(type).match(/\w+\.\w+/g) ?? []));
    }
  }
  const sorted = <T>(table: ReadonlyMap<string, T>) =>
    Object.fromEntries([...table].sort(([a], [b]) => a < b ? -1 : 1));
  const table = { kubernetes: version, root: ROOT, others: sorted(others), structs: sorted(structs) };
  return JSON.stringify(table, null, 2) + "\n";
}

/** A package's structs, and its names for other types. */
function declarationsIn(text: string): { readonly structs: Structs; readonly others: ReadonlyMap<string, string> } {
  const others = text.matchAll(/^type (\w+) ([\w.[\]]+)$/gm);
  return { structs: parseGoStructs(text), others: new Map([...others].map(([, name, type]) => [name, type])) };
}

function rowOf({ goName, name, type, options }: Declaration): string {
  const flags = (options.includes("omitempty") ? "o" : "") + (options.includes("inline") ? "i" : "");
  return [goName, printed(type), name, flags].join(" ").trimEnd();
}

/** A type's name as Go's reflection prints it: `[]Volume` -> `[]v1.Volume`. */
function printed(type: string): string {
  return type.replaceAll(
    /(\w+\.)?\b([A-Z]\w*)/g,
    (_, prefix = "metav1.", name) => prefix === "metav1." ? `v1.${name}` : prefix + name,
  );
}
