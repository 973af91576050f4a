import { objectKey, type Pod, PODS } from "../../api/mod.ts";
import { errorText, sleep } from "../../base/mod.ts";
import { isAlreadyExists, isNotFound } from "../../client/mod.ts";
import { refOf, serverSays } from "../running/mod.ts";
import { createRecycler, deleteRecycler } from "./actions.ts";
import type { BinderContext } from "./context.ts";
import { mirrorEvents } from "./recycler_events.ts";

/** The parts of recycler pods that are read. */
export const FIELDS_OF_RECYCLERS = ["status.phase", "status.message"];

const LOOKS_EVERY_MS = 1_000;
/** After this many failed lookups in the cache, the API server is asked. */
const LOOKS_BETWEEN_QUESTIONS = 30;

/**
 * Runs a pod to its end, and deletes it.
 * Upstream: `pkg/volume/util/recyclerclient`.
 *
 * @param tell Takes what events say of the pod.
 * @throws {Error} If it did not succeed, or cannot be deleted.
 */
export async function runRecycler(
  wanted: Pod,
  context: BinderContext,
  tell: (type: string, message: string) => void,
): Promise<void> {
  const pod = await startRecycler(wanted, context);
  const stop = new AbortController();
  const mirroring = mirrorEvents(pod, context, { tell, signal: stop.signal });
  const failure = await untilEnd(pod, context).then(() => undefined, (error) => error);
  stop.abort();
  await mirroring;
  // The next leader finds the pod, and starts over.
  if (context.signal.aborted) throw context.signal.reason;
  const undeleted = await deleteRecycler(pod, context).then(() => undefined, (error) => error);
  if (failure) throw new Error(`failed to recycle volume: ${errorText(failure)}`, { cause: failure });
  if (undeleted) throw new Error(`failed to delete recycler pod: ${errorText(undeleted)}`, { cause: undeleted });
}

async function startRecycler(wanted: Pod, context: BinderContext): Promise<Pod> {
  try {
    return await createRecycler(wanted, context);
  } catch (error) {
    if (!serverSays(error, isAlreadyExists)) {
      throw new Error(`unexpected error creating recycler pod:  ${errorText(error)}`, { cause: error });
    }
  }
  try {
    await deleteRecycler(wanted, context);
  } catch (error) {
    throw new Error(`failed to delete old recycler pod ${objectKey(wanted)}: ${errorText(error)}`, { cause: error });
  }
  throw new Error("old recycler pod found, will retry later");
}

/** @throws {Error} If the pod ends otherwise than well. */
async function untilEnd(pod: Pod, context: BinderContext): Promise<void> {
  const { world: { clock }, pods, signal } = context;
  let wasShown = false;
  for (let look = 1; await sleep(clock, LOOKS_EVERY_MS, signal); look++) {
    const shown = pods.get(objectKey(pod));
    const isShown = shown !== undefined && shown.metadata?.uid === pod.metadata?.uid;
    if (isShown && hasSucceeded(shown)) return;
    // The watch may have missed all of its life.
    if (!isShown && (wasShown || look % LOOKS_BETWEEN_QUESTIONS === 0) && hasSucceeded(await livePod(pod, context))) {
      return;
    }
    wasShown ||= isShown;
  }
  throw signal.reason;
}

async function livePod(pod: Pod, { client }: Pick<BinderContext, "client">): Promise<Pod> {
  const gone = new Error("recycler pod was deleted");
  let live;
  try {
    live = await client.get(PODS, refOf(pod));
  } catch (error) {
    throw serverSays(error, isNotFound) ? gone : error;
  }
  if (live.metadata?.uid !== pod.metadata?.uid) throw gone;
  return live;
}

/** @throws {Error} If it has failed. */
function hasSucceeded({ status }: Pod): boolean {
  if (status?.phase === "Failed") throw new Error(status.message || "pod failed, pod.Status.Message unknown");
  return status?.phase === "Succeeded";
}
