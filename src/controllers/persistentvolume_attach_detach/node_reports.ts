import type { AttachedVolume, Node } from "../../api/mod.ts";
import type { Clock } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";

/** What {@link NodeReports} needs. */
export interface NodeReportsOptions {
  readonly clock: Clock;
  readonly nodes: Pick<Lister<Node>, "get">;
  devicePathOf(volume: string): string;
  /** Writes a list into the status of a node. Resolves, too, if the node is gone. */
  write(node: string, volumes: readonly AttachedVolume[]): Promise<void>;
  /** Called when a node's report has changed; it may be written after this delay. */
  onStale(node: string, delayMs: number): void;
}

interface Report {
  readonly volumes: Set<string>;
  isStale: boolean;
  failure?: WriteFailure;
}

/** The failure of the last write. */
interface WriteFailure {
  readonly error: unknown;
  readonly retryAtMs: number;
  readonly delayMs: number;
}

/**
 * Kubelets mount nothing before the report, and nothing is detached, so this is as soon as upstream's manager retries.
 */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 1000;

/** A running write, and the next one. */
interface Writing {
  readonly done: Promise<void>;
  next?: Promise<void>;
}

/**
 * Reports to kubelets which volumes are attached to their nodes. Upstream: `attachdetach/statusupdater`, and the part
 * of `cache/actual_state_of_world.go` about volumes that are reported.
 *
 * Contract:
 * 1. The whole list is written whenever something has changed since it was last written, and never otherwise.
 * 2. What has changed when `publish` is called is written when it resolves, unless the node is gone.
 * 3. A failed write leaves everything to be written again, after 100 ms at first and after 1 s in the end; earlier
 *    calls get the failure.
 * 4. One list of a node is written at a time; all callers that wait for the next one share it.
 * 5. Nothing is written for a node that is gone; if it comes back, everything is written again.
 */
export class NodeReports {
  readonly #options: NodeReportsOptions;
  readonly #reports = new Map<string, Report>();
  readonly #writing = new Map<string, Writing>();

  constructor(options: NodeReportsOptions) {
    this.#options = options;
  }

  add(volume: string, node: string): void {
    let report = this.#reports.get(node);
    if (!report) this.#reports.set(node, report = { volumes: new Set(), isStale: false });
    if (report.volumes.has(volume)) return;
    report.volumes.add(volume);
    this.#age(node, report);
  }

  /** @returns Whether it was there. */
  remove(volume: string, node: string): boolean {
    const report = this.#reports.get(node);
    if (!report?.volumes.delete(volume)) return false;
    this.#age(node, report);
    return true;
  }

  /** Has everything written again: a recreated node may not have it. */
  renew(node: string): void {
    const report = this.#reports.get(node);
    if (report) this.#age(node, report);
  }

  /** Records that the node is gone; its attachments are reported again if it returns. */
  forgetNode(node: string): void {
    if (this.#reports.get(node)?.volumes.size === 0) this.#reports.delete(node);
  }

  /** @throws What the write fails with. */
  async publish(node: string): Promise<void> {
    const writing = this.#writing.get(node);
    if (!writing) return await this.#begin(node);
    writing.next ??= writing.done.catch(() => {}).then(() => this.#begin(node));
    await writing.next;
  }

  async #begin(node: string): Promise<void> {
    const done = this.#write(node);
    this.#writing.set(node, { done });
    try {
      await done;
    } finally {
      if (this.#writing.get(node)?.done === done && !this.#writing.get(node)?.next) this.#writing.delete(node);
    }
  }

  async #write(node: string): Promise<void> {
    const report = this.#reports.get(node);
    if (!report?.isStale) return;
    report.isStale = false;
    if (!this.#options.nodes.get(undefined, node)) return this.forgetNode(node);
    const { clock, devicePathOf } = this.#options;
    const { failure } = report;
    if (failure && clock.monotonicMs() < failure.retryAtMs) {
      report.isStale = true;
      throw failure.error;
    }
    try {
      const volumes = [...report.volumes].map((name) => ({ name, devicePath: devicePathOf(name) }));
      await this.#options.write(node, volumes);
      report.failure = undefined;
    } catch (error) {
      const delayMs = failure ? Math.min(2 * failure.delayMs, LAST_RETRY_MS) : FIRST_RETRY_MS;
      report.failure = { error, retryAtMs: clock.monotonicMs() + delayMs, delayMs };
      this.#age(node, report, delayMs);
      throw error;
    }
  }

  #age(node: string, report: Report, delayMs = 0): void {
    report.isStale = true;
    this.#options.onStale(node, delayMs);
  }
}
