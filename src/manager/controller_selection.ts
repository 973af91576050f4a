import { KNOWN_CONTROLLERS, type KnownController } from "../controllers/mod.ts";

/** What kube-controller-manager knows; the one of these that cloud-controller-manager has alone is not known to it. */
export const SELECTABLE_CONTROLLERS: readonly KnownController[] = KNOWN_CONTROLLERS.filter(({ name }) =>
  name !== "cloud-node-controller"
);

/** A `--controllers` list that names something unknown. */
export class UnknownControllerError extends Error {
  override readonly name = "UnknownControllerError";
}

/**
 * Which controllers `--controllers` asks for.
 *
 * The first entry that names a controller decides (`name` on, `-name` off); one that is not named is on if `*` occurs and it
 * is not disabled by default. Old names are understood.
 * Upstream: `k8s.io/controller-manager/app` (IsControllerEnabled).
 *
 * @param entries The flag's values: `*`, `name` or `-name`.
 * @returns Canonical names.
 * @throws {UnknownControllerError} Naming every entry that is not known.
 */
export function selectControllers(entries: readonly string[]): ReadonlySet<string> {
  const canonical = new Map(
    SELECTABLE_CONTROLLERS.flatMap((known) => [known.name, ...known.aliases].map((n) => [n, known.name])),
  );
  const unknown = entries.filter((entry) => entry !== "*" && !canonical.has(entry.replace(/^-/, "")));
  if (unknown.length > 0) {
    const said = unknown.map((entry) =>
      `${JSON.stringify(entry.replace(/^-/, ""))} is not in the list of known controllers`
    );
    const names = SELECTABLE_CONTROLLERS.map(({ name }) => name).join(", ");
    const what = said.length === 1 ? said[0] : `[${said.join(", ")}]`;
    throw new UnknownControllerError(`${what}: --controllers takes *, or NAME or -NAME, where NAME is one of ${names}`);
  }
  const isOn = ({ name, enabledByDefault }: KnownController) => {
    const decisive = entries.find((entry) => entry !== "*" && canonical.get(entry.replace(/^-/, "")) === name);
    return decisive === undefined ? entries.includes("*") && enabledByDefault : !decisive.startsWith("-");
  };
  return new Set(SELECTABLE_CONTROLLERS.filter(isOn).map((known) => known.name));
}

/** `entries` with the controllers' canonical names: `-deployment` becomes `-deployment-controller`. */
export function canonicalEntries(entries: readonly string[]): string[] {
  return entries.map((entry) => {
    const name = entry.replace(/^-/, "");
    const known = SELECTABLE_CONTROLLERS.find(({ aliases }) => aliases.includes(name));
    return known ? entry.replace(name, known.name) : entry;
  });
}
