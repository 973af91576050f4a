import { StatusError } from "../client/mod.ts";
import { FrameError, type WatchFrame } from "./frame.ts";
import { LIST, Numeric, Text } from "./frame_shape.ts";
import { type FrameScannerOptions, JsonFrameScanner } from "./json_frame_scanner.ts";

/** A LIST's fields besides its items. */
export interface ListHead {
  /** Such as `PodList`. */
  readonly kind: string;
  readonly apiVersion: string;
  /** Where a watch continues; empty if the server gave none. */
  readonly resourceVersion: string;
  /** The token for the next page; empty on the last one. */
  readonly continue: string;
  readonly remainingItemCount: number;
}

/**
 * Reads the body of a LIST item by item, so that no more than one item is held at a time.
 *
 * Contract:
 * 1. The items are those of `items`, in order, whatever the order of the document's keys; `null` and no `items` are
 *    empty.
 * 2. `end` gives the head of a list that came whole, and throws for one that did not.
 * 3. Tables and Statuses are not lists; a Status is thrown as a `StatusError`.
 *
 * @example
 * ```ts
 * import { ListReader, type WatchFrame } from "kubeloop/watch";
 * import { assertEquals } from "@std/assert";
 *
 * const list = new ListReader({ resource: "pods" });
 * const items: WatchFrame[] = [];
 * const text = '{"kind":"PodList","items":[{"metadata":{"resourceVersion":"5"}}],"metadata":{"resourceVersion":"9"}}';
 * list.push(new TextEncoder().encode(text), items);
 * assertEquals(items.map((item) => item.resourceVersion), ["5"]);
 * assertEquals(list.end().resourceVersion, "9");
 * ```
 */
export class ListReader {
  readonly #scanner: JsonFrameScanner;
  readonly #resource: string;

  constructor(options: FrameScannerOptions) {
    this.#scanner = new JsonFrameScanner(options, LIST);
    this.#resource = options.resource;
  }

  /**
   * Appends to `items` those that `chunk` completes.
   *
   * @throws {FrameError} If the bytes are not JSON or not a list.
   */
  push(chunk: Uint8Array, items: WatchFrame[]): void {
    this.#scanner.push(chunk, items);
    if (this.#scanner.walker.texts[Text.listKind] === "Table") throw this.#error("a Table came in place of a list");
  }

  /**
   * Call it when the body has ended.
   *
   * @throws {FrameError} If the list is incomplete, or it is not a list.
   * @throws {StatusError} If a Status came in its place.
   */
  end(): ListHead {
    const { documents, texts, numbers } = this.#scanner.walker;
    if (documents === 0) throw this.#error("the answer ended before the list was complete");
    const kind = texts[Text.listKind];
    if (kind === "Status") {
      const [reason, message] = [texts[Text.statusReason], texts[Text.statusMessage]];
      throw new StatusError({ status: "Failure", code: numbers[Numeric.statusCode], reason, message });
    }
    if (kind === "") throw this.#error("the answer names no kind, so it is not a list");
    return {
      kind,
      apiVersion: texts[Text.listApiVersion],
      resourceVersion: texts[Text.listResourceVersion],
      continue: texts[Text.continue],
      remainingItemCount: numbers[Numeric.remainingItemCount],
    };
  }

  #error(why: string): FrameError {
    return new FrameError(`Cannot read the list of ${this.#resource}: ${why}`);
  }
}
