import type { ControllerRow } from "../controllers/mod.ts";

/** `--controllers` names an unknown controller. */
export class UnknownControllerError extends Error {
  override readonly name = "UnknownControllerError";
}

/**
 * Which controllers `--controllers` selects.
 *
 * The first entry that names a controller decides (`name` on, `-name` off). One that is not named is on if `*` occurs
 * and it is not disabled by default. Old names are accepted.
 * Upstream: `k8s.io/controller-manager/app` (IsControllerEnabled).
 *
 * @param entries The flag's values: `*`, `name` or `-name`.
 * @param known The controllers that the program knows.
 * @returns Canonical names.
 * @throws {UnknownControllerError} Names every unknown entry.
 */
export function selectControllers(entries: readonly string[], known: readonly ControllerRow[]): ReadonlySet<string> {
  const canonical = new Map(
    known.flatMap(({ name, aliases }) => [name, ...aliases].map((each) => [each, name])),
  );
  const unknown = entries.filter((entry) => entry !== "*" && !canonical.has(entry.replace(/^-/, "")));
  if (unknown.length > 0) {
    const said = unknown.map((entry) =>
      `${JSON.stringify(entry.replace(/^-/, ""))} is not in the list of known controllers`
    );
    const names = known.map(({ name }) => name).join(", ");
    const what = said.length === 1 ? said[0] : `[${said.join(", ")}]`;
    throw new UnknownControllerError(`${what}: --controllers takes *, or NAME or -NAME, where NAME is one of ${names}`);
  }
  const isOn = ({ name, enabledByDefault }: ControllerRow) => {
    const decisive = entries.find((entry) => entry !== "*" && canonical.get(entry.replace(/^-/, "")) === name);
    return decisive === undefined ? entries.includes("*") && enabledByDefault : !decisive.startsWith("-");
  };
  return new Set(known.filter(isOn).map(({ name }) => name));
}

/** `entries` with the controllers' canonical names: `-deployment` becomes `-deployment-controller`. */
export function canonicalEntries(entries: readonly string[], known: readonly ControllerRow[]): string[] {
  return entries.map((entry) => {
    const name = entry.replace(/^-/, "");
    const row = known.find(({ aliases }) => aliases.includes(name));
    return row ? entry.replace(name, row.name) : entry;
  });
}
