import { FlagError } from "../flags.ts";

/** A group and the controllers that run in it. */
export interface GroupAssignment {
  readonly name: string;
  readonly controllers: readonly string[];
}

/**
 * Which controllers share a thread unless `--controller-groups` says otherwise. What is not named here runs in the group `rest`.
 * Those that read the same high-volume kinds are together, so that few caches hold them.
 */
const DEFAULT_GROUPS: Readonly<Record<string, readonly string[]>> = {
  workloads: ["deployment-controller", "replicaset-controller"],
  garbage: ["garbage-collector-controller", "namespace-controller"],
};
const REST = "rest";

/**
 * Assigns controllers to groups.
 *
 * @param flag `auto`, `none` for one thread, or groups such as `workloads=deployment-controller;replicaset-controller`; controllers
 * that none of them names run in the group `rest`.
 * @returns No group at all for `none`.
 * @throws {FlagError} For a group without a name or a controller that is not `known` or is named twice.
 */
export function assignGroups(
  flag: readonly string[],
  { enabled, known }: { readonly enabled: readonly string[]; readonly known: ReadonlySet<string> },
): GroupAssignment[] {
  if (flag.length === 1 && flag[0] === "none") return [];
  const groups = flag.length === 1 && flag[0] === "auto" ? DEFAULT_GROUPS : parseGroups(flag, known);
  const placed = new Set(Object.values(groups).flat());
  const rest = enabled.filter((name) => !placed.has(name));
  const all = Object.entries(groups).map(([name, controllers]) => ({
    name,
    controllers: [...controllers.filter((each) => enabled.includes(each)), ...name === REST ? rest : []],
  }));
  if (!(REST in groups)) all.push({ name: REST, controllers: rest });
  return all.filter(({ controllers }) => controllers.length > 0);
}

function parseGroups(flag: readonly string[], known: ReadonlySet<string>): Record<string, readonly string[]> {
  const groups: Record<string, readonly string[]> = {};
  const seen = new Set<string>();
  for (const entry of flag) {
    const [, name, list] = /^([a-z][a-z0-9-]*)=(.+)$/.exec(entry) ?? [];
    if (!name || name in groups) {
      throw objection(entry, "it must be auto, none, or <group>=<controller>[;<controller>...]");
    }
    groups[name] = list.split(";");
    for (const controller of groups[name]) {
      if (!known.has(controller)) {
        throw objection(entry, `${JSON.stringify(controller)} is not in the list of known controllers`);
      }
      if (seen.has(controller)) throw objection(entry, `${controller} is in two groups`);
      seen.add(controller);
    }
  }
  return groups;
}

function objection(entry: string, why: string): FlagError {
  return new FlagError(`invalid argument ${JSON.stringify(entry)} for "--controller-groups" flag: ${why}`);
}
