import { type Namespace, NAMESPACES } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { serverSays } from "../running/mod.ts";
import { finalize, markTerminating, type NamespaceClient } from "./actions.ts";
import type { ContentDeletion } from "./content_deletion.ts";

/** Content is being deleted but not gone yet: no failure, just wait. */
export class ContentRemainingError extends Error {
  override readonly name = "ContentRemainingError";
  readonly estimateSeconds: number;

  constructor(estimateSeconds: number) {
    super(`some content remains in the namespace, estimate ${estimateSeconds} seconds before it is removed`);
    this.estimateSeconds = estimateSeconds;
  }
}

/** The inputs and clients of a sync. */
export interface NamespaceContext {
  readonly client: NamespaceClient;
  readonly content: ContentDeletion;
  readonly namespaces: Pick<Lister<Namespace>, "get">;
  /** Ends a sync between two requests: there may be hundreds of them. */
  readonly signal: AbortSignal;
}

/** A namespace is emptied and finalized only while it is being deleted and some finalizer of its spec is left. */
function isToBeEmptied({ metadata, spec }: Namespace): boolean {
  return Boolean(metadata?.deletionTimestamp) && (spec?.finalizers?.length ?? 0) > 0;
}

/**
 * Advances a namespace's deletion as far as possible.
 *
 * @throws {ContentRemainingError} If it must be checked again when its content may be gone.
 * @throws The errors of content that could not be deleted; the rest was.
 * @throws The signal's reason when it aborts.
 */
export async function syncNamespace(
  name: string,
  { client, content, namespaces, signal }: NamespaceContext,
): Promise<void> {
  if (!namespaces.get(undefined, name)) return;
  const live = await unlessGone(client.get(NAMESPACES, { name }));
  if (!live?.metadata?.deletionTimestamp) return;
  const terminating = await unlessGone(markTerminating(client, live, signal));
  if (!terminating || !isToBeEmptied(terminating)) return;
  const { estimateSeconds, namespace } = await content.run(terminating, signal);
  if (estimateSeconds > 0) throw new ContentRemainingError(estimateSeconds);
  await unlessGone(finalize(client, namespace, signal));
}

/** Resolves like `answer`, or to `undefined` if the namespace is gone. */
async function unlessGone(answer: Promise<Namespace>): Promise<Namespace | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (serverSays(error, isNotFound)) return undefined;
    throw error;
  }
}
