import type { Clock } from "../../../base/mod.ts";
import { apiVersionOf } from "../../../api/mod.ts";
import type { Client } from "../../../client/mod.ts";

const GROUP = "custom.metrics.k8s.io";
const KNOWN_VERSIONS: ReadonlySet<string> = new Set(
  ["v1beta2", "v1beta1"].map((version) => apiVersionOf({ group: GROUP, version })),
);

interface GroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly versions?: readonly { readonly groupVersion: string }[];
    readonly preferredVersion?: { readonly groupVersion: string };
  }[];
}

/** Options of {@link CustomMetricsVersion}. */
export interface CustomMetricsVersionOptions {
  readonly clock: Clock;
  readonly client: Pick<Client, "request">;
  /** How long an answer is valid. */
  readonly periodMs: number;
}

/**
 * The version in which the custom metrics API is used.
 *
 * Contract:
 * 1. It is the one that the server prefers, if we know it, else the first of its versions that we know.
 * 2. The server is asked when the version is first needed, and not again for a period.
 * 3. A failure is not kept.
 *
 * Upstream: `k8s.io/metrics/pkg/client/custom_metrics/discovery.go`.
 */
export class CustomMetricsVersion {
  readonly #options: CustomMetricsVersionOptions;
  #known?: { readonly answer: Promise<string>; readonly atMs: number };

  constructor(options: CustomMetricsVersionOptions) {
    this.#options = options;
  }

  /**
   * As `apiVersion` has it.
   *
   * @throws {Error} If the API is not served, or in no version that we know.
   */
  current(): Promise<string> {
    const { clock, periodMs } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#known && nowMs - this.#known.atMs < periodMs) return this.#known.answer;
    const known = { answer: this.#ask(), atMs: nowMs };
    this.#known = known;
    known.answer.catch(() => {
      if (this.#known === known) this.#known = undefined;
    });
    return known.answer;
  }

  async #ask(): Promise<string> {
    const { groups = [] } = await this.#options.client.request<GroupList>("GET", "/apis");
    const group = groups.find(({ name }) => name === GROUP);
    if (!group) throw new Error(`no custom metrics API (${GROUP}) registered`);
    const versions = [group.preferredVersion, ...group.versions ?? []].map((version) => version?.groupVersion ?? "");
    const version = versions.find((candidate) => KNOWN_VERSIONS.has(candidate));
    if (!version) throw new Error("no known available metric versions found");
    return version;
  }
}
