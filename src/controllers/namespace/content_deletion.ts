import { errorText, type World } from "../../base/mod.ts";
import { apiVersionOf, type Namespace, parseApiVersion, type Resource } from "../../api/mod.ts";
import { type Client, type Discovery, GroupDiscoveryError } from "../../client/mod.ts";
import { aggregateErrors } from "../running/mod.ts";
import { writeConditions } from "./actions.ts";
import { isPods, type ResourceDeletion } from "./resource_deletion.ts";
import { ContentTotals, type DeletionFindings } from "./status.ts";

/** The result of a successful pass over a namespace's content. */
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
 * 4. A pass ends soon after `signal` aborts, and fails with its reason.
 *
 * Upstream: `pkg/controller/namespace/deletion/namespaced_resources_deleter.go` (deleteAllContent).
 */
export class ContentDeletion {
  readonly #options: ContentDeletionOptions;

  constructor(options: ContentDeletionOptions) {
    this.#options = options;
  }

  /** @throws If anything failed, after all that could be deleted was; several failures as an `AggregateError`. */
  async run(namespace: Namespace, signal: AbortSignal): Promise<ContentOutcome> {
    const { resources } = this.#options;
    const name = namespace.metadata?.name ?? "";
    const { resources: deletable, errors, ...reasons } = await this.#discover();
    const findings = { ...reasons, contentErrors: [] as string[] };

    const pods = deletable.find(isPods);
    if (pods) {
      const { remaining, estimateSeconds, error } = await resources.deleteAll(pods, namespace, signal);
      signal.throwIfAborted();
      if (error !== undefined) {
        findings.contentErrors.push(errorText(error));
        errors.push(
          new Error(`failed to delete pods for namespace: ${name}, err: ${errorText(error)}`, { cause: error }),
        );
      }
      if (remaining.length > 0) {
        // As upstream, the counts are left out here, so that both "remaining" conditions say False.
        const latest = await writeConditions(namespace, findings, this.#options);
        return finish(errors, { estimateSeconds, namespace: latest });
      }
    }

    const totals = new ContentTotals();
    let longestSeconds = 0;
    for (const resource of deletable) {
      if (resource === pods) continue;
      const { remaining, estimateSeconds, error } = await resources.deleteAll(resource, namespace, signal);
      signal.throwIfAborted();
      if (error !== undefined) {
        findings.contentErrors.push(errorText(error));
        errors.push(error);
      }
      longestSeconds = Math.max(longestSeconds, estimateSeconds);
      totals.add(resource, remaining);
    }
    const latest = await writeConditions(namespace, { ...findings, totals }, this.#options);
    return finish(errors, { estimateSeconds: longestSeconds, namespace: latest });
  }

  async #discover(): Promise<Discovered> {
    try {
      const { resources, failures } = await this.#options.discovery.preferredResources({ namespaced: true });
      const found = parsedGroupVersions(resources.filter(({ verbs }) => verbs.includes("delete")));
      // A proxy may answer like this; finalizing would then leave everything in storage.
      if (resources.length === 0 && failures.size === 0) throw new Error("discovery lists no namespaced resource");
      if (failures.size === 0) return found;
      const error = new GroupDiscoveryError(failures);
      const discoveryError = `Discovery failed for some groups, ${failures.size} failing: ${error.message}`;
      return { ...found, errors: [error, ...found.errors], discoveryError };
    } catch (error) {
      return { resources: [], errors: [error], discoveryError: errorText(error) };
    }
  }
}

/** What to delete, and why that may be incomplete. */
interface Discovered extends Pick<DeletionFindings, "discoveryError" | "groupVersionError"> {
  readonly resources: readonly Resource[];
  readonly errors: unknown[];
}

/** Leaves out resources with an invalid group or version, which no path leads to; includes the first such error. */
function parsedGroupVersions(resources: readonly Resource[]): Discovered {
  const errors: unknown[] = [];
  const parsed = resources.filter((resource) => {
    try {
      parseApiVersion(apiVersionOf(resource));
      return true;
    } catch (error) {
      errors.push(error);
      return false;
    }
  });
  return { resources: parsed, errors, groupVersionError: errors.length > 0 ? errorText(errors[0]) : undefined };
}

function finish(errors: readonly unknown[], outcome: ContentOutcome): ContentOutcome {
  const error = aggregateErrors(errors);
  if (error) throw error;
  return outcome;
}
