/**
 * Writes `generated_internal_fields.ts`: how the types that upstream's validation works on are written as JSON.
 *
 * Some messages show such a value. The types are not those of the API: they have no JSON names and no `omitempty`, so every field
 * appears under its Go name. Needed only when the Kubernetes version changes, and needs Go: run
 * `deno run -A src/sandbox/apiserver/validation/generate_internal_fields.ts`. The Go modules are those pinned in
 * `tests/controlplane`.
 */
import { goModuleFolder } from "../base/mod.ts";

/** Types that messages show, as `group.Type`. What they contain comes with them. */
export const ROOTS: readonly string[] = [
  "core.PodTemplateSpec",
  "core.PodSpec",
  "core.EphemeralContainer",
  "core.PersistentVolumeSource",
  "core.PersistentVolumeClaimSpec",
  "core.PodResourceClaim",
  "core.ServicePort",
  "core.Taint",
  "core.NodeAddress",
  "core.NodeConfigSource",
  "core.VolumeNodeAffinity",
  "core.ScopeSelector",
  "core.EventSource",
  "core.PodIP",
  "core.HostIP",
  "apps.DeploymentStrategy",
  "apps.DaemonSetUpdateStrategy",
  "apps.StatefulSetUpdateStrategy",
  "autoscaling.MetricTarget",
  "batch.PodFailurePolicy",
  "batch.SuccessPolicy",
  "batch.UncountedTerminatedPods",
  "certificates.CertificateSigningRequestSpec",
  "certificates.CertificateSigningRequestCondition",
  "networking.IngressBackend",
  "networking.IngressClassSpec",
  "networking.ServiceCIDRSpec",
  "networking.ParentReference",
  "policy.PodDisruptionBudgetSpec",
  "rbac.RoleRef",
  "resource.ResourceClaimSpec",
  "resource.ResourceClaimTemplateSpec",
  "resource.ResourceClaimConsumerReference",
  "resource.AllocationResult",
  "resource.DeviceAllocationConfiguration",
  "resource.DeviceTaint",
  "resource.Device",
  "resource.DeviceAttribute",
  "storage.VolumeAttachmentSpec",
  "storage.TokenRequest",
  "storage.CSINodeDriver",
  "flowcontrol.PolicyRulesWithSubjects",
  "flowcontrol.Subject",
  "flowcontrol.LimitedPriorityLevelConfiguration",
  "flowcontrol.PriorityLevelConfigurationSpec",
  "flowcontrol.FlowSchemaSpec",
];

/** Which served version names the fields of a group's types. */
const VERSIONS: Readonly<Record<string, string>> = { autoscaling: "v2" };

interface GoField {
  /** Empty for embedded structs. */
  readonly name: string;
  readonly type: string;
  readonly jsonName?: string;
}

/** Structs of a Go package, and names for simple types: `RestartPolicy` -> `string`. */
interface GoPackage {
  readonly structs: Map<string, GoField[]>;
  readonly names: Map<string, string>;
}

function parseGoPackage(source: string): GoPackage {
  const structs = new Map<string, GoField[]>();
  for (const [, name, body] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields: GoField[] = [];
    for (const line of body.split("\n")) {
      const match = /^\t(?!\/\/)(?:(\w+)[ \t]+)?([\w.*[\]{}]+)(?:[ \t]+`(?:.*?)json:"([^",]*)[^`]*`)?[ \t]*(?:\/\/.*)?$/
        .exec(line);
      if (match) fields.push({ name: match[1] ?? "", type: match[2], jsonName: match[3] });
    }
    structs.set(name, fields);
  }
  const names = new Map<string, string>();
  for (const [, name, type] of source.matchAll(/^type (\w+) ([\w.[\]*]+)$/gm)) names.set(name, type);
  for (const [, name, type] of source.matchAll(/^\t(\w+) (string|int32|int64|bool)$/gm)) names.set(name, type);
  return { structs, names };
}

function readPackage(folder: string): GoPackage {
  const files = [...Deno.readDirSync(folder)].filter(({ name }) => /^types.*\.go$/.test(name));
  return parseGoPackage(files.map(({ name }) => Deno.readTextFileSync(`${folder}/${name}`)).join("\n"));
}

const SCALARS: Readonly<Record<string, string>> = {
  "string": "s",
  "bool": "b",
  "int": "n",
  "int32": "n",
  "int64": "n",
  "float64": "n",
  "types.UID": "s",
  "resource.Quantity": "q",
  "apiresource.Quantity": "q",
  "intstr.IntOrString": "i",
  "metav1.Time": "t",
  "metav1.MicroTime": "t",
  "[]byte": "s",
};

/** Reads packages as they are needed and writes down the types that are reached. */
class Writer {
  readonly rows: Record<string, string> = {};
  readonly #folders: { readonly internal: string; readonly api: string };
  readonly #internal = new Map<string, GoPackage>();
  readonly #served = new Map<string, GoPackage>();

  constructor(folders: { readonly internal: string; readonly api: string }) {
    this.#folders = folders;
  }

  #package(group: string): GoPackage {
    let found = this.#internal.get(group);
    if (!found) this.#internal.set(group, found = readPackage(`${this.#folders.internal}/pkg/apis/${group}`));
    return found;
  }

  /** The JSON names of a type's fields by their Go names. */
  #jsonNames(group: string, type: string): Map<string, string> {
    let found = this.#served.get(group);
    if (!found) {
      const folder = `${this.#folders.api}/${group}/${VERSIONS[group] ?? "v1"}`;
      this.#served.set(group, found = readPackage(folder));
    }
    const fields = found.structs.get(type) ?? [];
    return new Map(fields.flatMap(({ name, jsonName }) => jsonName ? [[name, jsonName]] : []));
  }

  add(id: string): void {
    if (id in this.rows) return;
    this.rows[id] = "";
    const [group, type] = id.split(".");
    const jsonNames = this.#jsonNames(group, type);
    const fields = this.#package(group).structs.get(type);
    if (!fields) throw new Error(`No type ${id} in upstream's internal types: correct the list of roots`);
    this.rows[id] = fields.map((field) => this.#field(group, field, jsonNames)).join(" ");
  }

  #field(group: string, { name, type, jsonName }: GoField, jsonNames: Map<string, string>): string {
    if (name === "") return `...:${this.#code(group, type)}`;
    const written = jsonName || name;
    const read = jsonNames.get(name) ?? jsonName ?? name[0].toLowerCase() + name.slice(1);
    return `${written === read ? written : `${written}=${read}`}:${this.#code(group, type)}`;
  }

  #code(group: string, type: string): string {
    if (type in SCALARS) return SCALARS[type];
    if (type.startsWith("*")) return `*${this.#code(group, type.slice(1))}`;
    if (type.startsWith("[]")) return `[]${this.#code(group, type.slice(2))}`;
    const map = /^map\[[\w.]+\](.+)$/.exec(type);
    if (map) return `{}${this.#code(group, map[1])}`;
    const [scope, local] = type.includes(".") ? type.split(".") : [group, type];
    if (scope === "metav1" || scope === "runtime") return "m";
    const target = scope === "api" ? "core" : scope;
    const { structs, names } = this.#package(target);
    if (structs.has(local)) {
      this.add(`${target}.${local}`);
      return `${target}.${local}`;
    }
    const named = names.get(local);
    if (named === undefined) throw new Error(`No type ${target}.${local}: teach the generator where it is declared`);
    return this.#code(target, named);
  }
}

if (import.meta.main) {
  const root = new URL("../../../../", import.meta.url);
  const [internal, api] = await Promise.all(
    ["k8s.io/kubernetes", "k8s.io/api"].map((name) => goModuleFolder(name, root)),
  );
  const writer = new Writer({ internal, api });
  for (const id of ROOTS) writer.add(id);
  const rows = Object.entries(writer.rows).sort(([a], [b]) => a < b ? -1 : 1);
  const lines = rows.map(([id, text]) => `  ${JSON.stringify(id)}: ${JSON.stringify(text)},`);
  await Deno.writeTextFile(
    new URL("generated_internal_fields.ts", import.meta.url),
    `// Generated by src/sandbox/apiserver/validation/generate_internal_fields.ts; do not edit.
// deno-fmt-ignore-file
/** Type to its fields, \`written=read:type\` separated by spaces; see \`internal_view.ts\`. */
export const INTERNAL_FIELDS: Readonly<Record<string, string>> = {
${lines.join("\n")}
};
`,
  );
}
