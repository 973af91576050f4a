import type { ControllerRow } from "../../controllers/mod.ts";
import { canonicalEntries } from "../controller_selection.ts";
import { FlagError } from "../flags.ts";

/** A group and the controllers that run in it. */
export interface GroupAssignment {
  readonly name: string;
  readonly controllers: readonly string[];
}

/** The groups of `auto`, the most worthwhile first. All other controllers run in the group `rest`. */
const AUTO_GROUPS = ["workloads", "garbage"] as const;
const REST = "rest";

/**
 * Assigns controllers to groups.
 *
 * @param flag `auto` for as many threads as processors, including the main thread, but at least one group: more threads
 *   would use memory without saving time; `none` for one thread; or groups such as
 *   `workloads=deployment-controller;replicaset-controller`. Controllers that no group names run in the group `rest`.
 * @returns No groups for `none`.
 * @throws {FlagError} For a group without a name or a controller that is not `known` or is named twice.
 */
export function assignGroups(
  flag: readonly string[],
  { known, enabled, processors }: {
    readonly known: readonly ControllerRow[];
    readonly enabled: readonly ControllerRow[];
    readonly processors: number;
  },
): GroupAssignment[] {
  if (flag.length === 1 && flag[0] === "none") return [];
  const isAuto = flag.length === 1 && flag[0] === "auto";
  const groups = isAuto ? autoGroups(enabled, processors) : parseGroups(flag, known);
  const placed = new Set(groups.flatMap(({ controllers }) => controllers));
  const names = enabled.map(({ name }) => name);
  const rest = names.filter((name) => !placed.has(name));
  const all = groups.map(({ name, controllers }) => ({
    name,
    controllers: [...controllers.filter((each) => names.includes(each)), ...name === REST ? rest : []],
  }));
  if (groups.every(({ name }) => name !== REST)) all.push({ name: REST, controllers: rest });
  return all.filter(({ controllers }) => controllers.length > 0);
}

function autoGroups(enabled: readonly ControllerRow[], processors: number): GroupAssignment[] {
  return AUTO_GROUPS.slice(0, Math.max(0, processors - 2)).map((name) => ({
    name,
    controllers: enabled.filter(({ group }) => group === name).map((row) => row.name),
  }));
}

function parseGroups(flag: readonly string[], known: readonly ControllerRow[]): GroupAssignment[] {
  const groups: GroupAssignment[] = [];
  const seen = new Set<string>();
  for (const entry of flag) {
    const [, name, list] = /^([a-z][a-z0-9-]*)=(.+)$/.exec(entry) ?? [];
    if (!name) throw objection(entry, "it must be auto or none alone, or <group>=<controller>[;<controller>...]");
    if (groups.some((group) => group.name === name)) throw objection(entry, `there is a group ${name} already`);
    const controllers = canonicalEntries(list.split(";"), known);
    groups.push({ name, controllers });
    for (const controller of controllers) {
      if (!known.some(({ name }) => name === controller)) {
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
