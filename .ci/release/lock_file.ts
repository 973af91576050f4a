/** What `deno.lock` says of the npm packages that a program needs. */

export interface LockFile {
  readonly npm: Readonly<Record<string, LockedPackage>>;
  readonly workspace: { readonly dependencies: readonly string[] };
}

export interface LockedPackage {
  /** As npm has it: `sha512-` and base64. */
  readonly integrity: string;
  readonly dependencies?: readonly string[];
}

/** A package in the executable. */
export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  /** `name@version` of each. */
  readonly dependencies: readonly string[];
}

/**
 * The packages that `roots` (`name@version`) need, themselves included, by `name@version` in order.
 *
 * @throws {Error} If the lock file does not know one.
 */
export function packagesFor(lock: LockFile, roots: Iterable<string>): Map<string, NpmPackage> {
  const found = new Map<string, NpmPackage>();
  const visit = (id: string) => {
    if (found.has(id)) return;
    const locked = lock.npm[id];
    if (!locked) throw new Error(`deno.lock does not hold ${id}: run \`deno install\``);
    const at = id.lastIndexOf("@");
    const dependencies = (locked.dependencies ?? []).map((dependency) => fullName(lock, dependency)).sort();
    found.set(id, { name: id.slice(0, at), version: id.slice(at + 1), integrity: locked.integrity, dependencies });
    dependencies.forEach(visit);
  };
  for (const root of roots) visit(root);
  return new Map([...found].sort(([a], [b]) => a < b ? -1 : 1));
}

/** A dependency names its version only where the lock file holds several. */
function fullName(lock: LockFile, dependency: string): string {
  if (dependency in lock.npm) return dependency;
  const found = Object.keys(lock.npm).filter((id) => id.slice(0, id.lastIndexOf("@")) === dependency);
  if (found.length !== 1) throw new Error(`deno.lock holds ${found.length} versions of ${dependency}, not one`);
  return found[0];
}
