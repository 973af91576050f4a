import { apiVersionOf, groupResource, type Resource } from "../api/mod.ts";
import { errorText, type Logger } from "../base/mod.ts";
import { isStatus, StatusError } from "../client/mod.ts";
import { FrameError, type WatchFrame } from "./frame.ts";

/** An event of a watch. */
export type WatchEvent =
  /** ADDED, MODIFIED and DELETED frames in a row; at least one. */
  | { readonly what: "objects"; readonly frames: readonly WatchFrame[] }
  | { readonly what: "bookmark"; readonly resourceVersion: string; readonly endsInitialEvents: boolean }
  /** An ERROR event: the stream cannot be used any more. */
  | { readonly what: "failed"; readonly error: unknown };

export interface EventSifterOptions {
  readonly resource: Resource;
  readonly metadataOnly: boolean;
  readonly log: Logger;
  readonly onSkip: () => void;
}

/** Set on the bookmark after a watch's initial events. */
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/**
 * Sorts a watch's frames by type. Parses bookmarks and errors, which are small and rare, but not objects.
 *
 * Contract:
 * 1. Objects of another kind are left out; the first of a stream is logged, all are counted.
 * 2. A type that the API does not know is a `FrameError`.
 */
export class EventSifter {
  readonly #options: EventSifterOptions;
  readonly #apiVersion: string;
  readonly #decoder = new TextDecoder();
  #hasLoggedSkip = false;

  constructor(options: EventSifterOptions) {
    this.#options = options;
    this.#apiVersion = apiVersionOf(options.resource);
  }

  /** @throws {FrameError} At a frame that no API server sends. */
  *sift(frames: readonly WatchFrame[]): Generator<WatchEvent, void> {
    let objects: WatchFrame[] = [];
    for (const frame of frames) {
      const isObject = frame.type === "ADDED" || frame.type === "MODIFIED" || frame.type === "DELETED";
      if (isObject && this.#isExpected(frame)) {
        objects.push(frame);
        continue;
      }
      if (objects.length > 0) {
        yield { what: "objects", frames: objects };
        objects = [];
      }
      if (frame.type === "ERROR") yield { what: "failed", error: this.#errorIn(frame) };
      else if (!isObject && frame.type !== "BOOKMARK") {
        throw new FrameError(`got invalid watch event type: ${frame.type}`);
      } else if (!this.#isExpected(frame)) this.#skip(frame);
      else yield this.#bookmark(frame);
    }
    if (objects.length > 0) yield { what: "objects", frames: objects };
  }

  #isExpected({ kind, apiVersion }: WatchFrame): boolean {
    if (kind === this.#options.resource.kind && apiVersion === this.#apiVersion) return true;
    return this.#options.metadataOnly && kind === "PartialObjectMetadata" && apiVersion.startsWith("meta.k8s.io/");
  }

  #skip({ kind, apiVersion, type }: WatchFrame): void {
    const { log, resource, onSkip } = this.#options;
    onSkip();
    if (this.#hasLoggedSkip) return;
    this.#hasLoggedSkip = true;
    log.error("Unexpected watch event object gvk; it and others like it on this stream are skipped", {
      type: groupResource(resource),
      expected: `${this.#apiVersion}, Kind=${resource.kind}`,
      actual: `${apiVersion}, Kind=${kind}`,
      event: type,
    });
  }

  #bookmark(frame: WatchFrame): WatchEvent {
    const { metadata } = this.#parse(frame) as { metadata?: { annotations?: Record<string, unknown> | null } | null };
    const endsInitialEvents = metadata?.annotations?.[INITIAL_EVENTS_END] === "true";
    return { what: "bookmark", resourceVersion: frame.resourceVersion, endsInitialEvents };
  }

  #errorIn(frame: WatchFrame): Error {
    const { kind, apiVersion } = frame;
    const status = this.#parse(frame);
    if (isStatus(status)) return new StatusError(status);
    return new Error(
      `unexpected object in an ERROR event of ${groupResource(this.#options.resource)}: ${apiVersion} ${kind}`,
    );
  }

  #parse({ bytes, objectStart, objectEnd }: WatchFrame): object {
    try {
      return JSON.parse(this.#decoder.decode(bytes.subarray(objectStart, objectEnd)));
    } catch (cause) {
      throw new FrameError(`an event's object is not JSON: ${errorText(cause)}`, {
        cause,
      });
    }
  }
}
