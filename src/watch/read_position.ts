import type { WatchFrame } from "./frame.ts";
import type { ListPlan, ListResult } from "./paged_list.ts";
import type { WatchStream } from "./watch_stream.ts";

/** The relevant part of a watch's stream; see `WatchStream`. */
type OrderedStream = Pick<WatchStream, "isOrdered">;

const DEFAULT_PAGE_SIZE = 500;

/**
 * How far a resource has been read, and where the next list or watch begins.
 *
 * Contract:
 * 1. The resourceVersion is that of the last list, event or bookmark that was taken; it is empty before the first list.
 * 2. The unordered events with which a watch from resourceVersion "" or "0" begins do not count.
 * 3. Lists are requested to be at least that new; after a refusal they are not, until a list has succeeded.
 * 4. Once the first list came in pages, all lists do: the server's watch cache is off for this resource.
 */
export class ReadPosition {
  #resourceVersion = "";
  #isRefused = false;
  #isPaginated = false;

  /** Where a watch continues. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** The least resourceVersion of a streaming list; empty for any. */
  get streamingListFrom(): string {
    return this.#isRefused ? "" : this.#resourceVersion;
  }

  /**
   * How to request a paged list. With a resourceVersion other than "0", the server's cache answers whole lists, and
   * faster.
   */
  listPlan(pageSize: number | undefined): ListPlan {
    const resourceVersion = this.#isRefused ? "" : this.#resourceVersion || "0";
    const isWhole = !this.#isPaginated && resourceVersion !== "" && resourceVersion !== "0";
    return { resourceVersion, pageSize: pageSize ?? (isWhole ? 0 : DEFAULT_PAGE_SIZE) };
  }

  /** How to request a list in place of a streaming list, which would have been as new as the server's newest object. */
  consistentListPlan(pageSize = 0): ListPlan {
    return { resourceVersion: this.streamingListFrom, pageSize };
  }

  /** The server called the resourceVersion expired or too large. */
  refused(): void {
    this.#isRefused = true;
  }

  /** The list requested with `plan` was accepted. */
  listedBy(plan: ListPlan, { resourceVersion, isPaginated }: ListResult): void {
    if (plan.resourceVersion === "0" && isPaginated) this.#isPaginated = true;
    this.listed(resourceVersion);
  }

  listed(resourceVersion: string): void {
    this.#isRefused = false;
    this.#resourceVersion = resourceVersion;
  }

  /** Events of `stream` were accepted. */
  advanced(stream: OrderedStream, frames: readonly WatchFrame[]): void {
    for (const frame of frames) {
      if (frame.type !== "ADDED") stream.isOrdered = true;
      if (stream.isOrdered && frame.resourceVersion !== "") this.#resourceVersion = frame.resourceVersion;
    }
  }

  /** A bookmark of `stream` was accepted. */
  bookmarked(stream: OrderedStream, resourceVersion: string): void {
    stream.isOrdered = true;
    this.#resourceVersion = resourceVersion || this.#resourceVersion;
  }
}
