import { formatDuration } from "../../api/mod.ts";
import type { Template } from "../component.ts";
import type { Flags } from "../flags.ts";
import type { LeaderMigration } from "../controller_leaders.ts";
import type { ManagerFlags } from "../manager_flags.ts";

/**
 * The document of `/configz`: the configuration that results from the flags.
 * Upstream: `pkg/controller/apis/config` in version kubecontrollermanager.config.k8s.io/v1alpha1.
 *
 * @param options.controllers The entries of `--controllers` with canonical names.
 * @param options.migration The leader migration, if enabled.
 */
export function configuration(
  flags: ManagerFlags,
  { controllers, migration }: { readonly controllers: readonly string[]; readonly migration?: LeaderMigration },
): unknown {
  const { group, version, kind, own, shared, sections, hidden = [] } = flags.component.configuration;
  const filled = (template: Template): unknown => {
    if (Array.isArray(template)) return template.map(filled);
    if (typeof template === "object" && template !== null) {
      return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, filled(value)]));
    }
    if (template === "--controllers") return controllers;
    if (typeof template !== "string" || !template.startsWith("--")) return template;
    const values = template.slice(2).split("|").map((name) => valueOf(flags, name));
    return values.find((value) => value !== 0) ?? values[0];
  };
  const document = filled(own) as Section;
  for (const option of flags.component.controllers.flatMap(({ options }) => Object.values(options))) {
    put(document, option.configz, "flag" in option ? valueOf(flags, option.flag) : option.fixed);
  }
  if (migration) put(document, "Generic.LeaderMigration", migrationOf(migration));
  for (const [place, template] of Object.entries(shared)) put(document, place, filled(template));
  const others = Object.keys(document).filter((name) => !sections.includes(name) && !hidden.includes(name));
  const ordered = [...sections, ...others].map((name) => [name, document[name]]);
  return { [group]: { kind, apiVersion: `${group}/${version}`, ...Object.fromEntries(ordered) } };
}

function migrationOf({ leaderName, controllerLeaders }: LeaderMigration) {
  return { leaderName, resourceLock: "leases", controllerLeaders };
}

type Section = { [key: string]: unknown };

/** Sets the value at a path such as `DeploymentController.ConcurrentDeploymentSyncs`. */
function put(document: Section, place: string, value: unknown): void {
  const names = place.split(".");
  const last = names.pop()!;
  let section = document;
  for (const name of names) section = (section[name] ??= {}) as Section;
  section[last] = value;
}

function valueOf(flags: Flags, name: string): unknown {
  switch (flags.typeOf(name)) {
    case "bool":
      return flags.bool(name);
    case "int":
    case "int32":
    case "float":
    case "float32":
      return flags.number(name);
    case "duration":
      return formatDuration(flags.durationMs(name));
    default:
      return flags.string(name);
  }
}
