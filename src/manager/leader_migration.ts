import { parse } from "@std/yaml";
import { errorText, type Files } from "../base/mod.ts";
import { osReason } from "./endpoint/mod.ts";
import type { ManagerFlags } from "./manager_flags.ts";

/** Controllers that do not run under this process's lease while they move from one manager to another. */
export interface LeaderMigration {
  /** Those that another component runs. */
  readonly elsewhere: ReadonlySet<string>;
  /** Those that this component runs once it holds the migration's lease too. */
  readonly byMigrationLease: ReadonlySet<string>;
}

const NONE: LeaderMigration = { elsewhere: new Set(), byMigrationLease: new Set() };
const VERSIONS = ["v1", "v1beta1", "v1alpha1"].map((version) => `controllermanager.config.k8s.io/${version}`);
const KIND = "LeaderMigrationConfiguration";

/**
 * Reads what `--enable-leader-migration` and `--leader-migration-config` say. Upstream's standard configuration names
 * controllers as nobody calls them, so that nothing moves without a file.
 *
 * Names are taken to the letter. Upstream asks for the migration's lease once its service account token controller runs; here it is
 * never asked for yet, and what waits for it does not run.
 *
 * Upstream: `k8s.io/controller-manager/pkg/leadermigration`.
 *
 * @throws {Error} Naming the file, if it cannot be read or used.
 */
export async function leaderMigration(files: Files, flags: ManagerFlags): Promise<LeaderMigration> {
  const path = flags.string("leader-migration-config");
  if (!flags.bool("enable-leader-migration") || path === "") return NONE;
  const text = await files.readText(path).catch((error: Error) => {
    const quoted = JSON.stringify(path);
    throw new Error(`unable to read leader migration configuration from ${quoted}: open ${path}: ${osReason(error)}`);
  });
  const leaders = controllerLeaders(path, text);
  if (!flags.bool("leader-elect")) return NONE;
  const namesOf = (isOurs: boolean) =>
    leaders.filter(({ component }) => (component === flags.component.name || component === "*") === isOurs).map((
      { name },
    ) => name);
  return { elsewhere: new Set(namesOf(false)), byMigrationLease: new Set(namesOf(true)) };
}

interface ControllerLeader {
  readonly name: string;
  readonly component: string;
}

function controllerLeaders(path: string, text: string): ControllerLeader[] {
  const said = (why: string) => new Error(`failed to parse leader migration configuration ${path}: ${why}`);
  const { controllerLeaders = [], ...fields } = mapping(parsed(text, said), () => said("it must be a mapping"));
  if (fields.kind !== KIND || !VERSIONS.includes(String(fields.apiVersion))) {
    throw said(`it must be a ${KIND} of ${VERSIONS.join(", ")}`);
  }
  const unknown = Object.keys(fields).find((name) =>
    !["kind", "apiVersion", "leaderName", "resourceLock"].includes(name)
  );
  if (unknown !== undefined) throw said(`unknown field "${unknown}"`);
  const { leaderName = "", resourceLock = "leases" } = fields;
  if (leaderName === "") throw said(`leaderName: Required value: leaderName must be set for ${KIND}`);
  if (resourceLock !== "leases" && resourceLock !== "endpoints") {
    const shown = JSON.stringify(resourceLock);
    throw said(`resourceLock: Invalid value: ${shown}: resource Lock must be one of 'leases' or 'endpoints'`);
  }
  if (!Array.isArray(controllerLeaders)) throw said("controllerLeaders must be a list");
  return controllerLeaders.map((each: unknown, i) => {
    const at = `controllerLeaders[${i}]`;
    const { name = "", component = "", ...more } = mapping(each, () => said(`${at} must be a mapping`));
    if (component === "") throw said(`${at}.component: Required value`);
    if (name === "") throw said(`${at}.name: Required value`);
    const [odd] = Object.keys(more);
    if (odd !== undefined) throw said(`unknown field "${at}.${odd}"`);
    return { name: String(name), component: String(component) };
  });
}

function parsed(text: string, said: (why: string) => Error): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw said(`not valid YAML: ${errorText(error).split("\n")[0]}`);
  }
}

function mapping(value: unknown, refusal: () => Error): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refusal();
  return { ...value };
}
