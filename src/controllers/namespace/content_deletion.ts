import type { World } from "../../base/mod.ts";
import { formatTime, type Namespace, NAMESPACES, type Resource } from "../../api/mod.ts";
import { type Client, type Discovery, GroupDiscoveryError } from "../../client/mod.ts";
import { aggregateErrors, errorText } from "../common/mod.ts";
import { deletionConditions, type DeletionFindings, mergeConditions } from "./conditions.ts";
import { ContentTotals } from "./content_totals.ts";
import { isPods, type ResourceDeletion } from "./resource_deletion.ts";

/** How a pass over a namespace's content ended, when it did not fail. */
export interface ContentOutcome {
  /** Seconds after which the rest should be gone; 0 when nothing is left. */
  readonly estimateSeconds: number;
  /** The namespace as of the last write. */
  readonly namespace: Namespace;
}

export interface ContentDeletionOptions {
  readonly world: World;
  readonly client: Pick<Client, "updateStatus">;
  readonly discovery: Pick<Discovery, "preferredResources">;
  readonly resources: ResourceDeletion;
}

/**
 * Deletes everything in a namespace, as far as it goes in one pass, and reports in its conditions.
 *
 * Contract:
 * 1. Nothing but pods is deleted while pods are left: what protects them must outlive them.
 * 2. A resource that fails stops no other one; the pass fails in the end.
 * 3. A pass in which discovery was incomplete fails: what was not found cannot be known to be gone.
 *
 * Upstream: `pkg/controller/namespace/deletion/namespaced_resources_deleter.go` (deleteAllContent).
 */
export class ContentDeletion {
  readonly #options: ContentDeletionOptions;

  constructor(options: ContentDeletionOptions) {
    this.#options = options;
  }

  /** @throws If anything failed, after all that could be deleted was; several failures as an `AggregateError`. */
  async run(namespace: Namespace): Promise<ContentOutcome> {
    const { resources } = this.#options;
    const name = namespace.metadata?.name ?? "";
    const discovered = await this.#discover();
    const errors: unknown[] = discovered.error ? [discovered.error] : [];
    const findings = { discoveryError: discovered.message, contentErrors: [] as string[] };

    const pods = discovered.resources.find(isPods);
    if (pods) {
      const { remaining, estimateSeconds, error } = await resources.deleteAll(pods, namespace);
      if (error !== undefined) {
        findings.contentErrors.push(errorText(error));
        errors.push(
          new Error(`failed to delete pods for namespace: ${name}, err: ${errorText(error)}`, { cause: error }),
        );
      }
      if (remaining.length > 0) {
        // As upstream, the counts are left out here, so that both "remaining" conditions say False.
        const latest = await this.#writeConditions(namespace, findings);
        return finish(errors, { estimateSeconds, namespace: latest });
      }
    }

    const totals = new ContentTotals();
    let longestSeconds = 0;
    for (const resource of discovered.resources) {
      if (resource === pods) continue;
      const { remaining, estimateSeconds, error } = await resources.deleteAll(resource, namespace);
      if (error !== undefined) {
        findings.contentErrors.push(errorText(error));
        errors.push(error);
      }
      longestSeconds = Math.max(longestSeconds, estimateSeconds);
      totals.add(resource, remaining);
    }
    const latest = await this.#writeConditions(namespace, { ...findings, totals });
    return finish(errors, { estimateSeconds: longestSeconds, namespace: latest });
  }

  async #discover(): Promise<{ resources: readonly Resource[]; error?: Error; message?: string }> {
    try {
      const { resources, failures } = await this.#options.discovery.preferredResources({ namespaced: true });
      const deletable = resources.filter(({ verbs }) => verbs.includes("delete"));
      if (failures.size === 0) return { resources: deletable };
      const error = new GroupDiscoveryError(failures);
      const message = `Discovery failed for some groups, ${failures.size} failing: ${error.message}`;
      return { resources: deletable, error, message };
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      return { resources: [], error, message: error.message };
    }
  }

  /** Failing to report must not keep the content from going. */
  async #writeConditions(namespace: Namespace, findings: DeletionFindings): Promise<Namespace> {
    const { world, client } = this.#options;
    const now = formatTime(world.clock.wallMs());
    const conditions = mergeConditions(namespace.status?.conditions ?? [], deletionConditions(findings), now);
    if (!conditions) return namespace;
    try {
      return await client.updateStatus(NAMESPACES, { ...namespace, status: { ...namespace.status, conditions } });
    } catch (error) {
      world.log.error("couldn't update status condition for namespace", {
        namespace: namespace.metadata?.name,
        err: error,
      });
      return namespace;
    }
  }
}

function finish(errors: readonly unknown[], outcome: ContentOutcome): ContentOutcome {
  const error = aggregateErrors(errors);
  if (error) throw error;
  return outcome;
}
