import { join } from "@std/path";
import { parse } from "@std/yaml";
import { ANNOTATIONS, LABELS, type RoleObject } from "../../src/sandbox/apiserver/bootstrap/roles.ts";

/** The files that make up each collection. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  clusterroles: ["cluster-roles", "controller-roles"],
  clusterrolebindings: ["cluster-role-bindings", "controller-role-bindings"],
  roles: ["namespace-roles"],
  rolebindings: ["namespace-role-bindings"],
};
/** An object without its type, and without the labels and annotations that all have. */
function rowOf({ metadata, ...object }: RoleObject): object {
  const { labels, annotations, ...names } = metadata;
  const own = Object.entries(labels ?? {}).filter(([key]) => !(key in LABELS));
  if (JSON.stringify(annotations) !== JSON.stringify(ANNOTATIONS)) {
    throw new Error(`The annotations of ${metadata.name} are not those of all others: keep them in the rows`);
  }
  const { rules, aggregationRule, roleRef, subjects } = object;
  const kept = { ...names, ...own.length > 0 ? { labels: Object.fromEntries(own) } : {} };
  return { metadata: kept, aggregationRule, roleRef, subjects, ...rules ? { rules } : {} };
}

/**
 * The roles and bindings that every cluster has, by collection: one object a line, without what all have in common.
 *
 * @param read Gives the text of one of the files with which kube-apiserver's own tests compare what it creates.
 */
export function renderRoles(read: (file: string) => string): string {
  const collections = Object.entries(SOURCES).map(([collection, files]) => {
    const objects = files.flatMap((file) => (parse(read(file)) as { readonly items: readonly RoleObject[] }).items);
    return `  ${collection}: String.raw\`\n${objects.map((object) => JSON.stringify(rowOf(object))).join("\n")}\`,\n`;
  });
  return "/** By collection: one object a line, without what all have in common. */\n" +
    `export const ROLES = {\n${collections.join("")}} as const;\n`;
}

/** Reads those files from the sources of `k8s.io/kubernetes`. */
export function roleFilesIn(folder: string): (file: string) => string {
  const data = join(folder, "plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata");
  return (file) => Deno.readTextFileSync(join(data, `${file}.yaml`));
}
