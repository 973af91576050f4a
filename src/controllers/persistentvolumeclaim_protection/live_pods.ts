import { type Pod, PODS } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { projection } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import { claimNamesOf } from "../pod_volumes/mod.ts";
import { FIELDS_OF_PODS } from "./usage.ts";

/** How many pods a page has: each may be as large as an object can be, and a page is parsed at once. */
const PAGE = 250;

const keep = projection<Pod>(FIELDS_OF_PODS);

/** What {@link LivePods} needs. */
export interface LivePodsOptions {
  readonly client: Pick<Client, "list">;
  readonly namespace: string;
}

/**
 * The pods of a namespace that name claims, read from the API server because a cache may lag.
 *
 * Contract:
 * 1. Nothing is listed before somebody asks.
 * 2. A list that succeeded serves all who ask later.
 * 3. A list that failed is an error for the caller that asked; the next caller lists again.
 * 4. Only what decides about claims is kept of each pod, and nothing of pods that name none.
 *
 * Upstream: `pkg/controller/volume/pvcprotection` (LazyLivePodList).
 */
export class LivePods {
  readonly #options: LivePodsOptions;
  #byClaim: ReadonlyMap<string, readonly Pod[]> | undefined;

  constructor(options: LivePodsOptions) {
    this.#options = options;
  }

  /**
   * The pods that name a claim.
   *
   * @throws {Error} `live list of pods failed: ...`.
   */
  async naming(claimName: string, signal: AbortSignal): Promise<readonly Pod[]> {
    try {
      this.#byClaim ??= await this.#list(signal);
    } catch (error) {
      throw new Error(`live list of pods failed: ${errorText(error)}`, { cause: error });
    }
    return this.#byClaim.get(claimName) ?? [];
  }

  async #list(signal: AbortSignal): Promise<ReadonlyMap<string, readonly Pod[]>> {
    const { client, namespace } = this.#options;
    const byClaim = new Map<string, Pod[]>();
    let token: string | undefined;
    do {
      // A later page is from the same moment as the first, or fails.
      const { items, metadata } = await client.list(PODS, { namespace, limit: PAGE, continue: token, signal });
      for (const pod of items) note(pod, byClaim);
      if (metadata.continue && metadata.continue === token) {
        throw new Error("the server answered a continue token without making progress");
      }
      token = metadata.continue;
    } while (token);
    return byClaim;
  }
}

function note(pod: Pod, byClaim: Map<string, Pod[]>): void {
  const names = claimNamesOf(pod);
  if (names.length === 0) return;
  const { namespace, name, uid, deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata ?? {};
  const metadata = { namespace, name, uid, deletionTimestamp, deletionGracePeriodSeconds };
  const kept = { ...keep(pod), metadata };
  for (const claimName of names) {
    const pods = byClaim.get(claimName);
    if (pods) pods.push(kept);
    else byClaim.set(claimName, [kept]);
  }
}
