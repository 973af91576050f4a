import { apiVersionOf } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import { connectionFailureOf } from "../connection_error.ts";
import { statusErrorOf } from "../status_error.ts";
import type { DiscoveredResource, DiscoveryResult } from "./discovered.ts";
import type { Discovery } from "./discovery.ts";

/** A kind; without a version, in the group's preferred one. */
export interface KindQuery {
  readonly group: string;
  readonly version?: string;
  readonly kind: string;
}

/** A resource, in the version that its group prefers among those that serve it. */
export interface ResourceQuery {
  readonly group: string;
  readonly plural: string;
}

/** A resource as a policy rule names it; without a group, any group's resource in that version. */
export interface RuleQuery {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A kind that is served. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

type Query = KindQuery | ResourceQuery & { readonly version?: undefined };

/** The server serves no such kind, or resource. */
export class NoMatchError extends Error {
  override readonly name = "NoMatchError";

  constructor(query: Query) {
    const { group, version } = query;
    const what = "kind" in query ? `kind "${query.kind}"` : `resource "${query.plural}"`;
    const where = version === undefined ? `group "${group}"` : `version "${apiVersionOf({ group, version })}"`;
    super(`no matches for ${what} in ${where}`);
  }
}

interface Cached {
  readonly answer: Promise<DiscoveryResult>;
  readonly atMs: number;
  /** Group versions that failed at first and were read later. */
  readonly recovered: Map<string, readonly DiscoveredResource[]>;
}

/** A miss does not refresh an answer this young; otherwise unknown kinds would flood the server. */
const FRESH_MS = 10_000;

/**
 * Maps kinds to resources, and names of resources to their discovery data.
 *
 * Contract:
 * 1. Nothing is requested before the first lookup; lookups at the same time share one answer.
 * 2. A miss in an answer older than ten seconds is looked up once more in a new answer.
 * 3. A group version whose discovery failed for a passing reason is asked for again when a lookup needs it.
 * 4. If a group version's discovery failed, a lookup in it throws that error, never {@link NoMatchError}.
 * 5. `reset` makes the next lookup ask the server.
 * 6. A kind in lower case, or with `List` after it, is the kind itself, as for upstream; another kind of that very name
 *    comes first.
 * 7. A resource without a group has the kinds of all groups that serve it in its version, as for upstream; its singular
 *    will do.
 *
 * Upstream: `k8s.io/client-go/restmapper/discovery.go`, `discovery/cached/memory`.
 */
export class RestMapper {
  readonly #discovery: Discovery;
  readonly #world: World;
  #cached?: Cached;

  constructor(discovery: Discovery, world: World) {
    this.#discovery = discovery;
    this.#world = world;
  }

  /** @throws {NoMatchError} If the server has no such kind. */
  resourceFor(query: KindQuery): Promise<DiscoveredResource> {
    return this.#find(query);
  }

  /** @throws {NoMatchError} If the server has no such resource. */
  resourceNamed(query: ResourceQuery): Promise<DiscoveredResource> {
    return this.#find(query);
  }

  /** The kinds of a resource; none if it is not served. Group versions whose discovery failed count as not served. */
  async kindsFor({ group, version, resource }: RuleQuery): Promise<readonly ServedKind[]> {
    const name = resource.toLowerCase();
    const { resources } = await this.#answer();
    return [...resources.values()].flatMap((served) => {
      const found = served.find((one) =>
        one.version === version && (group === "" || one.group === group) &&
        (one.plural === name || (one.singular || one.kind.toLowerCase()) === name)
      );
      return found ? [{ group: found.group, version, kind: found.kind }] : [];
    });
  }

  /** Forgets all answers. */
  reset(): void {
    this.#cached = undefined;
  }

  async #find(query: Query): Promise<DiscoveredResource> {
    const before = this.#cached;
    const isFresh = !before || this.#world.clock.monotonicMs() - before.atMs < FRESH_MS;
    try {
      return await this.#lookUp(query);
    } catch (error) {
      if (!(error instanceof NoMatchError) || isFresh) throw error;
      if (this.#cached === before) this.reset();
      return await this.#lookUp(query);
    }
  }

  async #lookUp(query: Query): Promise<DiscoveredResource> {
    const { groups, resources, failures } = await this.#answer();
    const group = groups.find(({ name }) => name === query.group);
    const preferredFirst = group ? [group.preferredVersion, ...group.versions] : [];
    const versions = query.version === undefined ? preferredFirst : [query.version];
    for (const version of versions) {
      const groupVersion = apiVersionOf({ group: query.group, version });
      const known = resources.get(groupVersion) ?? await this.#again(groupVersion, { group: query.group, version });
      const found = known && findIn(known, query);
      if (found) return found;
    }
    for (const [groupVersion, error] of failures) {
      const failedGroup = groupVersion.includes("/") ? groupVersion.split("/")[0] : "";
      const isAsked = query.version === undefined
        ? failedGroup === query.group
        : groupVersion === apiVersionOf({ group: query.group, version: query.version });
      if (isAsked) throw error;
    }
    throw new NoMatchError(query);
  }

  async #again(
    groupVersion: string,
    place: { readonly group: string; readonly version: string },
  ): Promise<readonly DiscoveredResource[] | undefined> {
    const cached = this.#cached;
    const known = cached?.recovered.get(groupVersion);
    if (known || !cached) return known;
    const failure = (await cached.answer).failures.get(groupVersion);
    if (!failure || !isPassing(failure)) return undefined;
    try {
      const resources = await this.#discovery.resourcesOf(place);
      cached.recovered.set(groupVersion, resources);
      return resources;
    } catch {
      return undefined; // the first failure is reported
    }
  }

  #answer(): Promise<DiscoveryResult> {
    if (!this.#cached) {
      const answer = this.#discovery.discover();
      const cached: Cached = { answer, atMs: this.#world.clock.monotonicMs(), recovered: new Map() };
      this.#cached = cached;
      answer.catch(() => {
        if (this.#cached === cached) this.#cached = undefined;
      });
    }
    return this.#cached.answer;
  }
}

function findIn(known: readonly DiscoveredResource[], query: Query): DiscoveredResource | undefined {
  if ("plural" in query) return known.find(({ plural }) => plural === query.plural);
  return known.find(({ kind }) => kind === query.kind) ??
    known.find(({ kind }) => kind.toLowerCase() === query.kind || `${kind}List` === query.kind);
}

/** Worth a retry: the server was unreachable, overloaded or broken. */
function isPassing(error: Error): boolean {
  const code = statusErrorOf(error)?.code ?? 0;
  return connectionFailureOf(error) !== undefined || code === 429 || code >= 500;
}
