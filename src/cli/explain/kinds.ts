import { apiVersionOf, groupResource } from "../../api/mod.ts";
import { type DiscoveredResource, type DiscoveryResult, preferredResourcesOf } from "../../client/mod.ts";

/**
 * The served resources, by the names that people and objects use.
 *
 * Contract:
 * 1. `find` takes plurals, singulars, kinds and short names in any case, and `plural.group` or `plural.version.group`.
 * 2. If several groups have a name, the first in the server's order wins; full names come before short ones.
 * 3. `ofKind` answers only for the version asked for, as the garbage collector does.
 */
export class Kinds {
  readonly failures: ReadonlyMap<string, Error>;
  readonly #preferred: readonly DiscoveredResource[];
  readonly #all: readonly DiscoveredResource[];

  constructor(result: DiscoveryResult) {
    this.failures = result.failures;
    this.#preferred = preferredResourcesOf(result);
    this.#all = [...result.resources.values()].flat();
  }

  /** The resource that a person calls `text`. */
  find(text: string): DiscoveredResource | undefined {
    const wanted = text.toLowerCase();
    return this.#named(this.#preferred, wanted, () => true) ?? this.#qualified(wanted);
  }

  /** The resource of the objects that say `apiVersion` and `kind`. */
  ofKind(apiVersion: string, kind: string): DiscoveredResource | undefined {
    return this.#all.find((resource) => resource.kind === kind && apiVersionOf(resource) === apiVersion);
  }

  /** Resources whose objects can be listed and deleted, each once. Events, which two groups serve, count once. */
  listable(scope: "namespaced" | "any"): readonly DiscoveredResource[] {
    return this.#preferred.filter((resource) =>
      (scope === "any" || resource.namespaced) && groupResource(resource) !== "events.events.k8s.io" &&
      ["delete", "list"].every((verb) => resource.verbs.includes(verb))
    );
  }

  #qualified(wanted: string): DiscoveredResource | undefined {
    const [name, ...rest] = wanted.split(".");
    if (rest.length === 0) return undefined;
    const inGroup = this.#named(this.#preferred, name, ({ group }) => group === rest.join("."));
    if (inGroup) return inGroup;
    const [version, ...group] = rest;
    return this.#named(this.#all, name, (found) => found.version === version && found.group === group.join("."));
  }

  #named(
    among: readonly DiscoveredResource[],
    wanted: string,
    isMeant: (resource: DiscoveredResource) => boolean,
  ): DiscoveredResource | undefined {
    if (wanted === "") return undefined; // servers may leave a singular empty
    const meant = among.filter(isMeant);
    return meant.find(({ plural, singular, kind }) => [plural, singular, kind.toLowerCase()].includes(wanted)) ??
      meant.find(({ shortNames }) => shortNames?.includes(wanted));
  }
}
