import { parse } from "@std/yaml";
import { errorText, type Files } from "../base/mod.ts";
import type { LeaderMigration } from "./controller_leaders.ts";
import { osReason } from "./endpoint/mod.ts";
import type { ManagerFlags } from "./manager_flags.ts";

type Configuration = Pick<LeaderMigration, "leaderName" | "controllerLeaders">;

/** Upstream's. The first two names are obsolete; no controller has them. */
const STANDARD: Configuration = {
  leaderName: "cloud-provider-extraction-migration",
  controllerLeaders: ["route-controller", "service-controller", "cloud-node-lifecycle-controller"]
    .map((name) => ({ name, component: "*" })),
};
const VERSIONS = ["v1", "v1beta1", "v1alpha1"].map((version) => `controllermanager.config.k8s.io/${version}`);
const KIND = "LeaderMigrationConfiguration";

/**
 * Reads `--enable-leader-migration` and `--leader-migration-config`; without a file, upstream's standard configuration
 * applies. Names must match exactly.
 *
 * Upstream: `k8s.io/controller-manager/pkg/leadermigration`.
 *
 * @returns `undefined` if the migration is not enabled or there is no election.
 * @throws {Error} Names the file, if it cannot be read or used.
 */
export async function leaderMigration(files: Files, flags: ManagerFlags): Promise<LeaderMigration | undefined> {
  if (!flags.bool("enable-leader-migration")) return undefined;
  const path = flags.string("leader-migration-config");
  const configuration = path === "" ? STANDARD : await read(files, path, flags);
  if (!flags.bool("leader-elect")) return undefined;
  const { leaderName, controllerLeaders } = configuration;
  if (leaderName === flags.string("leader-elect-resource-name")) {
    throw new Error(`the leader migration's lease must not be that of --leader-elect-resource-name: ${leaderName}`);
  }
  // If a controller has two entries, the last one wins.
  const components = new Map(controllerLeaders.map(({ name, component }) => [name, component]));
  const namesOf = (isOurs: boolean) =>
    [...components].filter(([, component]) => [flags.component.name, "*"].includes(component) === isOurs)
      .map(([name]) => name);
  return { ...configuration, elsewhere: new Set(namesOf(false)), byMigrationLease: new Set(namesOf(true)) };
}

async function read(files: Files, path: string, flags: ManagerFlags): Promise<Configuration> {
  const text = await files.readText(path).catch((error: Error) => {
    const quoted = JSON.stringify(path);
    throw new Error(`unable to read leader migration configuration from ${quoted}: open ${path}: ${osReason(error)}`);
  });
  const { leaderName, resourceLock, controllerLeaders } = parseConfiguration(path, text);
  if (resourceLock === "endpoints" && flags.bool("leader-elect")) {
    throw new Error(`error creating lock: endpoints lock is removed: set resourceLock of ${path} to leases`);
  }
  return { leaderName, controllerLeaders };
}

function parseConfiguration(path: string, text: string): Configuration & { readonly resourceLock: string } {
  const said = (why: string) => new Error(`failed to parse leader migration configuration ${path}: ${why}`);
  const { controllerLeaders = [], ...fields } = mapping(parsed(text, said), () => said("it must be a mapping"));
  if (fields.kind !== KIND || !VERSIONS.includes(String(fields.apiVersion))) {
    throw said(`it must be a ${KIND} of ${VERSIONS.join(", ")}`);
  }
  // The first version no longer has a kind of lock.
  const known = ["kind", "apiVersion", "leaderName", ...fields.apiVersion === VERSIONS[0] ? [] : ["resourceLock"]];
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) throw said(`unknown field "${unknown}"`);
  const { leaderName = "", resourceLock = "leases" } = fields;
  if (leaderName === "") throw said(`leaderName: Required value: leaderName must be set for ${KIND}`);
  if (resourceLock !== "leases" && resourceLock !== "endpoints") {
    const shown = JSON.stringify(resourceLock);
    throw said(`resourceLock: Invalid value: ${shown}: resource Lock must be one of 'leases' or 'endpoints'`);
  }
  if (!Array.isArray(controllerLeaders)) throw said("controllerLeaders must be a list");
  const leaders = controllerLeaders.map((each: unknown, i) => {
    const at = `controllerLeaders[${i}]`;
    const { name = "", component = "", ...more } = mapping(each, () => said(`${at} must be a mapping`));
    if (component === "") throw said(`${at}.component: Required value`);
    if (name === "") throw said(`${at}.name: Required value`);
    const [odd] = Object.keys(more);
    if (odd !== undefined) throw said(`unknown field "${at}.${odd}"`);
    return { name: String(name), component: String(component) };
  });
  return { leaderName: String(leaderName), resourceLock, controllerLeaders: leaders };
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
