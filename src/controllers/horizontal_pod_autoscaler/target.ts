import { errorText, TurnBudget, type World } from "../../base/mod.ts";
import {
  type AutoscalingV2CrossVersionObjectReference,
  parseApiVersion,
  type Resource,
  type Scale,
} from "../../api/mod.ts";
import { type Client, type RestMapper, retryOnConflict } from "../../client/mod.ts";
import { SpecError, TargetError } from "./errors.ts";
import { ScaleKinds } from "./scale_kinds.ts";
import { readScale, type TargetScale } from "./target_scale.ts";

/** Options of {@link Scales}. */
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
      // A cluster-scoped target is requested as if it were namespaced, and so is not found, as upstream.
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
