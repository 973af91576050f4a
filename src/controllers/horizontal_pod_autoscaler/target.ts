import { errorText, TurnBudget, type World } from "../../base/mod.ts";
import {
  apiVersionOf,
  type AutoscalingV2CrossVersionObjectReference,
  type GroupVersion,
  groupVersionPath,
  type KubeObject,
  parseApiVersion,
  type Resource,
  type Scale,
  type Selector,
  selectorOfLabels,
} from "../../api/mod.ts";
import { type Client, type RestMapper, retryOnConflict } from "../../client/mod.ts";
import { SCALE_VERSIONS, scaleSelector } from "../pods/mod.ts";
import { SpecError, TargetError } from "./errors.ts";

/** What {@link Scales} asks with. */
export interface ScalesOptions {
  readonly world: World;
  readonly client: Pick<Client, "get" | "update" | "request">;
  readonly mapper: Pick<RestMapper, "resourceFor">;
}

/** What an autoscaler scales. */
export interface Target {
  /** In the version that the server prefers. */
  readonly resource: Resource<Scale>;
  readonly namespace: string;
  readonly name: string;
  readonly scale: TargetScale;
}

/**
 * Reads and writes how many replicas targets want, through their scale subresource.
 *
 * Contract:
 * 1. The version in a reference does not matter: the one that the server prefers is asked.
 * 2. A write carries what was read, but for the number of replicas.
 * 3. A write that conflicts is tried again, five times in all, with what is there then; no other failure is.
 *
 * Upstream: `k8s.io/client-go/scale`, `pkg/controller/podautoscaler/horizontal.go` (scaleForResourceMappings).
 */
export class Scales {
  readonly #options: ScalesOptions;
  readonly #kinds: ScaleKinds;

  constructor(options: ScalesOptions) {
    this.#options = options;
    this.#kinds = new ScaleKinds(options.client);
  }

  /** @throws {TargetError} If it cannot be read. */
  async read(
    namespace: string,
    { apiVersion = "", kind, name }: AutoscalingV2CrossVersionObjectReference,
  ): Promise<Target> {
    const group = groupOf(apiVersion);
    const resource = await this.#resourceOf(group, kind);
    try {
      return { resource, namespace, name, scale: await this.#get(resource, namespace, name) };
    } catch (error) {
      throw new TargetError(`failed to query scale subresource for ${kind}/${namespace}/${name}`, error);
    }
  }

  /** @throws {Error} The last one. */
  async write({ resource, namespace, name, scale }: Target, replicas: number, signal?: AbortSignal): Promise<void> {
    const { world, client } = this.#options;
    let { object } = scale;
    await retryOnConflict(world, async () => {
      try {
        const kind = await this.#kinds.of(resource);
        const body = { ...object, ...kind, spec: { ...object.spec, replicas } };
        await client.update(resource, body, { subresource: "scale", signal });
      } catch (error) {
        object = (await this.#refreshed({ resource, namespace, name })) ?? object;
        throw error;
      }
    }, { signal });
  }

  async #resourceOf(group: string, kind: string): Promise<Resource<Scale>> {
    try {
      const { version, plural } = await this.#options.mapper.resourceFor({ group, kind });
      // A cluster-scoped target is asked for as if it were in the namespace, and so is not found, as with upstream.
      return { group, version, plural, kind, namespaced: true };
    } catch (error) {
      throw new TargetError("unable to determine resource for scale target reference", error);
    }
  }

  async #get(resource: Resource<Scale>, namespace: string, name: string): Promise<TargetScale> {
    const { world, client } = this.#options;
    const object = await client.get(resource, { namespace, name }, { subresource: "scale" });
    return await readScale(object, new TurnBudget(world.clock));
  }

  async #refreshed({ resource, namespace, name }: Omit<Target, "scale">): Promise<Scale | undefined> {
    try {
      return (await this.#get(resource, namespace, name)).object;
    } catch (error) {
      const scale = `${resource.plural} ${namespace}/${name}`;
      this.#options.world.log.error("Cannot read a scale again that could not be written", { err: error, scale });
      return undefined;
    }
  }
}

function groupOf(apiVersion: string): string {
  try {
    return parseApiVersion(apiVersion).group;
  } catch (error) {
    throw new TargetError("invalid API version in scale target reference", new SpecError(errorText(error)));
  }
}

/** A scale of any of the versions: the older ones have the selector in two forms. */
interface AnyScale extends KubeObject {
  readonly spec?: Scale["spec"];
  readonly status?: {
    readonly replicas?: number;
    readonly selector?: string | Readonly<Record<string, string>>;
    readonly targetSelector?: string;
  };
}

/** How many replicas a target wants and has, and which pods they are. */
export interface TargetScale {
  /** As it was read. */
  readonly object: Scale;
  readonly specReplicas: number;
  readonly statusReplicas: number;
  /** Empty if there is none. */
  readonly selector: Selector;
}

/** @throws {Error} If it is no scale, or its selector cannot be read. */
async function readScale(object: AnyScale & Scale, budget: TurnBudget): Promise<TargetScale> {
  const { apiVersion = "", kind, spec, status }: AnyScale = object;
  if (kind !== "Scale" || !SCALE_VERSIONS.has(apiVersion)) {
    throw new Error(
      "received an object from a /scale endpoint which was not convertible to autoscaling Scale: " +
        `no kind "${kind ?? ""}" is registered for version "${apiVersion}"`,
    );
  }
  return {
    object,
    specReplicas: spec?.replicas ?? 0,
    statusReplicas: status?.replicas ?? 0,
    selector: await scaleSelector(selectorText(status), budget),
  };
}

function selectorText({ selector = "", targetSelector }: NonNullable<AnyScale["status"]> = {}): string {
  if (targetSelector) return targetSelector;
  return typeof selector === "string" ? selector : selectorOfLabels(selector).toString();
}

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly group?: string;
    readonly version?: string;
  }[];
}

/** What the body of a write to a scale must say that it is. */
export interface ScaleKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Which kind the scale of each resource has; asked once and kept for good.
 * Upstream: `k8s.io/client-go/scale/util.go`.
 */
class ScaleKinds {
  readonly #client: Pick<Client, "request">;
  readonly #known = new Map<string, ScaleKind>();

  constructor(client: Pick<Client, "request">) {
    this.#client = client;
  }

  /** @throws {Error} If the resource has no scale, or the server does not say. */
  async of(resource: Resource): Promise<ScaleKind> {
    const name = `${apiVersionPath(resource)}, Resource=${resource.plural}`;
    const known = this.#known.get(name);
    if (known) return known;
    const found = await this.#ask(resource, name);
    this.#known.set(name, found);
    return found;
  }

  async #ask(resource: Resource, name: string): Promise<ScaleKind> {
    const fail = (why: string, cause?: unknown) =>
      new Error(`could not find proper group-version for scale subresource of ${name}: ${why}`, { cause });
    let list: ResourceList;
    try {
      list = await this.#client.request<ResourceList>("GET", groupVersionPath(resource));
    } catch (error) {
      throw fail(`unable to fetch discovery information for ${name}: ${errorText(error)}`, error);
    }
    const found = list.resources?.find((candidate) => candidate.name === `${resource.plural}/scale`);
    if (!found) throw fail(`could not find scale subresource for ${name} in discovery information`);
    const { kind, group, version } = found;
    return { kind, apiVersion: apiVersionOf(group && version ? { group, version } : resource) };
  }
}

/** Unlike an apiVersion, with its slash even in the core group. */
function apiVersionPath({ group, version }: GroupVersion): string {
  return `${group}/${version}`;
}
