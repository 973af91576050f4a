import { type Event, EVENTS, type Resource } from "../api/mod.ts";
import { sleep, type World } from "../base/mod.ts";
import { isAlreadyExists, isNamespaceTerminating, isNotFound, statusErrorOf } from "../client/mod.ts";

/** How often an event is tried if the server cannot be reached, and the time between tries. */
const MAX_TRIES = 12;
const PAUSE_MS = 10_000;

/** The part of a `Client` that is used. */
export interface EventClient {
  create(resource: Resource<Event>, event: Event, options?: { readonly signal?: AbortSignal }): Promise<Event>;
  patch(
    resource: Resource<Event>,
    ref: { readonly namespace: string; readonly name: string },
    options: { readonly type: "strategic"; readonly body: unknown; readonly signal?: AbortSignal },
  ): Promise<Event>;
}

/**
 * Writes one event to the API server.
 *
 * Contract:
 * 1. A first event is created; a repeated one is patched, and created if it is gone.
 * 2. What the server refused is not tried again; when it cannot be reached, up to twelve tries are made, ten seconds
 *    apart, the first pause being random so that processes do not all come back at once.
 * 3. Nothing is thrown.
 *
 * Upstream: `k8s.io/client-go/tools/record/event.go` (recordToSink, recordEvent).
 */
export class EventWriter {
  readonly #world: Pick<World, "clock" | "random" | "log">;
  readonly #client: EventClient;

  constructor(world: Pick<World, "clock" | "random" | "log">, client: EventClient) {
    this.#world = world;
    this.#client = client;
  }

  async write(event: Event, signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#world;
    for (let tries = 1; !await this.#try(event, signal); tries++) {
      if (tries === MAX_TRIES) {
        log.error("Unable to write event (retry limit exceeded!)", { event: ref(event) });
        return;
      }
      if (!await sleep(clock, tries === 1 ? PAUSE_MS * random.float() : PAUSE_MS, signal)) return;
    }
  }

  /** Returns whether it is finished. */
  async #try(event: Event, signal: AbortSignal): Promise<boolean> {
    const { log } = this.#world;
    try {
      await this.#send(event, signal);
      return true;
    } catch (error) {
      const fields = { event: ref(event), err: error };
      if (signal.aborted) return true;
      if (!statusErrorOf(error)) {
        log.error("Unable to write event (may retry after sleeping)", fields);
        return false;
      }
      if (isAlreadyExists(error) || isNamespaceTerminating(error)) {
        log.verbose(5, "Server rejected event (will not retry!)", fields);
      } else {
        log.error("Server rejected event (will not retry!)", fields);
      }
      return true;
    }
  }

  async #send(event: Event, signal: AbortSignal): Promise<void> {
    if ((event.count ?? 1) > 1) {
      const { count, lastTimestamp, message } = event;
      try {
        await this.#client.patch(EVENTS, ref(event), {
          type: "strategic",
          body: { count, lastTimestamp, message },
          signal,
        });
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    await this.#client.create(EVENTS, event, { signal });
  }
}

function ref({ metadata }: Event): { namespace: string; name: string } {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}
