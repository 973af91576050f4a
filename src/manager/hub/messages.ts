import type { Resource } from "../../api/mod.ts";
import { informerKey, type InformerScope } from "../../cache/mod.ts";
import type { FrameBatch } from "./frame_batch.ts";

/** What to list and watch: subscribers with the same topic share one watch. */
export interface Topic extends InformerScope {
  readonly resource: Resource;
  readonly metadataOnly?: boolean;
}

/** From the hub to a group; `stream` is the subscriber's own number for its subscription. */
export type HubMessage =
  & { readonly stream: number }
  & (
    | { readonly what: "begin" }
    | { readonly what: "frames"; readonly batch: FrameBatch; readonly isReplacement: boolean }
    | { readonly what: "commit"; readonly resourceVersion: string }
    | { readonly what: "bookmark"; readonly resourceVersion: string }
  );

/** From a group to the hub. */
export type SubscriberMessage =
  & { readonly stream: number }
  & (
    | { readonly what: "subscribe"; readonly topic: Topic }
    | { readonly what: "unsubscribe" }
    /** This many bytes of frames were processed. */
    | { readonly what: "done"; readonly bytes: number }
    /** Processing failed: everything must be sent again. */
    | { readonly what: "again" }
  );

/** The sending half of a `MessagePort`. */
export interface Poster<M> {
  postMessage(message: M, transfer?: Transferable[]): void;
}

/** A topic's key. */
export function topicKey({ resource, metadataOnly = false, ...scope }: Topic): string {
  return `${metadataOnly}${informerKey(resource, scope)}`;
}
