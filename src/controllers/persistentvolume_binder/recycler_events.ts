import { type Event, EVENTS, type Pod } from "../../api/mod.ts";
import { parseJson } from "../../base/mod.ts";
import type { BinderContext } from "./context.ts";

/**
 * How long one watch lasts. The account may watch but not list events, and a thread without a network gets an answer
 * only when it is complete.
 */
const LOOK_SECONDS = 5;

/** The receiver of events, and when it stops. */
interface Mirror {
  readonly tell: (type: string, message: string) => void;
  /** Once it aborts, one look more is not begun. */
  readonly signal: AbortSignal;
}

/** Passes on, once each, the events about a pod; what cannot be read of them is left out. */
export async function mirrorEvents(
  { metadata }: Pod,
  { client, world: { log }, signal: ending }: BinderContext,
  { tell, signal }: Mirror,
): Promise<void> {
  const path = `/api/${EVENTS.version}/namespaces/${metadata?.namespace}/${EVENTS.plural}`;
  const fieldSelector = `involvedObject.name=${metadata?.name}`;
  const query = { watch: true, fieldSelector, timeoutSeconds: LOOK_SECONDS };
  const told = new Set<string>();
  while (!signal.aborted && !ending.aborted) {
    try {
      const { text } = await client.requestText("GET", path, { query, signal: ending });
      for (const { uid, type, message } of addedIn(text)) {
        if (told.has(uid)) continue;
        told.add(uid);
        tell(type, message);
      }
    } catch (err) {
      if (!ending.aborted) log.info("Events about a recycler pod cannot be read", { pod: metadata?.name, err });
      return;
    }
  }
}

interface Added {
  readonly uid: string;
  readonly type: string;
  readonly message: string;
}

function* addedIn(text: string): Generator<Added> {
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const { type: change, object } = parseJson(line) as { type?: string; object?: Event };
    if (change !== "ADDED" || !object?.metadata?.uid) continue;
    yield { uid: object.metadata.uid, type: object.type ?? "", message: object.message ?? "" };
  }
}
