import type { Clock } from "../../base/mod.ts";
import {
  groupResource,
  type KubeObject,
  type Namespace,
  parseTime,
  PODS,
  type Resource,
  resourceText,
} from "../../api/mod.ts";
import { type Client, isMethodNotAllowed, isNotFound } from "../../client/mod.ts";
import { serverSays } from "../running/mod.ts";
import { FINALIZER_ESTIMATE_SECONDS, podGraceEstimateSeconds } from "./estimates.ts";
import type { UnsupportedOperations } from "./unsupported_operations.ts";

/** The result for one resource's objects in a namespace. */
export interface ResourceOutcome {
  /** Remaining objects, metadata only; also empty if an error occurred before they were listed. */
  readonly remaining: readonly KubeObject[];
  /** Seconds after which they should be gone. */
  readonly estimateSeconds: number;
  /** An error that waiting does not solve. */
  readonly error?: unknown;
}

export interface ResourceDeletionOptions {
  readonly clock: Clock;
  readonly client: Pick<Client, "list" | "listMetadata" | "delete" | "deleteCollection">;
  readonly unsupported: UnsupportedOperations;
}

/**
 * Deletes all objects of one resource in one namespace.
 *
 * Contract:
 * 1. Every delete is in the background: no dependent may be orphaned, and none is waited for.
 * 2. A resource that cannot be listed (404, 405) holds nothing; any other failed list is an error.
 * 3. Objects that remain without a finalizer and without a grace period are an error: somebody keeps making them.
 *
 * Upstream: `pkg/controller/namespace/deletion/namespaced_resources_deleter.go`.
 */
export class ResourceDeletion {
  readonly #options: ResourceDeletionOptions;

  constructor(options: ResourceDeletionOptions) {
    this.#options = options;
  }

  /** Never rejects: a failure is part of the outcome. Begins no request once `signal` has aborted. */
  async deleteAll(resource: Resource, namespace: Namespace, signal: AbortSignal): Promise<ResourceOutcome> {
    const name = namespace.metadata?.name ?? "";
    let estimateSeconds = 0;
    try {
      estimateSeconds = await this.#graceEstimate(resource, namespace);
      signal.throwIfAborted();
      if (!await this.#deleteCollection(resource, name)) await this.#deleteEach(resource, name, signal);
      signal.throwIfAborted();
      return outcomeOf(resource, name, { estimateSeconds, remaining: await this.#list(resource, name) ?? [] });
    } catch (error) {
      return { remaining: [], estimateSeconds, error };
    }
  }

  async #graceEstimate(resource: Resource, { metadata }: Namespace): Promise<number> {
    if (!isPods(resource)) return 0;
    const { clock, client } = this.#options;
    const { items } = await client.list(PODS, { namespace: metadata?.name });
    const deletedAtMs = parseTime(metadata?.deletionTimestamp ?? "");
    return podGraceEstimateSeconds(items, { deletedAtMs, nowMs: clock.wallMs() });
  }

  /** @returns Whether the resource supports it. */
  async #deleteCollection(resource: Resource, namespace: string): Promise<boolean> {
    const { client, unsupported } = this.#options;
    if (unsupported.has(resource, "deletecollection")) return false;
    try {
      await client.deleteCollection(resource, { namespace, propagationPolicy: "Background" });
      return true;
    } catch (error) {
      if (isUnsupported(error)) return false;
      throw error;
    }
  }

  async #deleteEach(resource: Resource, namespace: string, signal: AbortSignal): Promise<void> {
    for (const { metadata } of await this.#list(resource, namespace) ?? []) {
      signal.throwIfAborted();
      try {
        const ref = { namespace, name: metadata?.name ?? "" };
        await this.#options.client.delete(resource, ref, { propagationPolicy: "Background" });
      } catch (error) {
        if (!isUnsupported(error)) throw error;
      }
    }
  }

  /** @returns `undefined` when the resource cannot be listed. */
  async #list(resource: Resource, namespace: string): Promise<readonly KubeObject[] | undefined> {
    const { client, unsupported } = this.#options;
    if (unsupported.has(resource, "list")) return undefined;
    try {
      return (await client.listMetadata(resource, { namespace })).items;
    } catch (error) {
      if (isUnsupported(error)) return undefined;
      throw error;
    }
  }
}

/** Whether this is the resource whose objects go before all others. */
export function isPods(resource: Resource): boolean {
  return groupResource(resource) === "pods" && resource.version === "v1";
}

/** A resource without verbs answers 404 instead of 405; a resource may also have been removed since discovery. */
function isUnsupported(error: unknown): boolean {
  return serverSays(error, isMethodNotAllowed, isNotFound);
}

function outcomeOf(
  resource: Resource,
  namespace: string,
  { remaining, estimateSeconds }: { remaining: readonly KubeObject[]; estimateSeconds: number },
): ResourceOutcome {
  if (remaining.length === 0) return { remaining, estimateSeconds: 0 };
  if (estimateSeconds > 0) return { remaining, estimateSeconds };
  if (remaining.some(({ metadata }) => (metadata?.finalizers?.length ?? 0) > 0)) {
    return { remaining, estimateSeconds: FINALIZER_ESTIMATE_SECONDS };
  }
  const gvr = resourceText(resource);
  const error = new Error(`unexpected items still remain in namespace: ${namespace} for gvr: ${gvr}`);
  return { remaining, estimateSeconds: 0, error };
}
