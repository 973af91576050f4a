import { deepCopy, deepEqual } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { ApiError } from "../base/mod.ts";
import type { AskedWebhooks, Attributes, Operation, ServerState, View } from "../operations/mod.ts";
import { deadline } from "./call.ts";
import { hooksFor, mutate, type Mutation, validate } from "./dispatch.ts";
import { type HookKind, hooksOf } from "./hooks.ts";
import { isExempt, matchedResource } from "./match.ts";
import { repeatable } from "./repeatable_world.ts";
import { wholeObject } from "./views.ts";

/** How long all webhooks together may take for a write. Upstream: `requestTimeoutUpperBound`. */
const LONGEST_MS = 34_000;

/** Webhooks must be called before the write can continue. */
class Unanswered extends Error {
  override readonly name = "Unanswered";
  readonly ask: (signal: AbortSignal) => Promise<void>;

  constructor(ask: (signal: AbortSignal) => Promise<void>) {
    super("webhooks are to be asked");
    this.ask = ask;
  }
}

/** A call that was made. */
interface Asked {
  readonly object?: StoredObject;
  readonly old?: StoredObject;
}

/**
 * Makes a write that depends on webhooks, although a write is one step in which nothing is awaited: if webhooks must be
 * called, the step is abandoned, they are called, and the write starts over with their answers.
 *
 * Contract:
 * 1. Webhooks are called once for the same object, however often the write is made; for another object they are called
 *    again.
 * 2. Time and randomness are the same each time, so that a new object keeps its name and its uid.
 * 3. It ends after 34 seconds, whatever webhooks do.
 *
 * @param view How webhooks see the object; as a whole by default.
 * @throws {ApiError} If a webhook refuses; 504 if webhooks take too long.
 */
export async function withWebhooks<T>(
  operation: Operation,
  write: (operation: Operation) => T,
  view: View = wholeObject(operation),
): Promise<T> {
  const { state, served } = operation;
  const isAsked = !isExempt(served) &&
    (hooksOf(state.store, "mutating").length > 0 || hooksOf(state.store, "validating").length > 0);
  if (!isAsked) return write(operation);
  const { world, rewind } = repeatable(state.world);
  const pinned: ServerState = { ...state, world };
  const asking = new WebhookAnswers(state, view);
  using late = deadline(state.world.clock, LONGEST_MS);
  try {
    for (;;) {
      rewind();
      asking.rewind();
      try {
        return write({ ...operation, state: pinned, webhooks: asking });
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        await error.ask(late.signal);
      }
    }
  } catch (error) {
    if (!late.signal.aborted) throw error;
    const why = "request did not complete within requested timeout - context deadline exceeded";
    throw new ApiError(504, "Timeout", `Timeout: ${why}`, {});
  }
}

class WebhookAnswers implements AskedWebhooks {
  readonly view: View;
  readonly #state: ServerState;
  readonly #mutations: (Asked & { readonly result: Mutation })[] = [];
  #validated: Asked | undefined;
  #round = 0;

  constructor(state: ServerState, view: View) {
    this.#state = state;
    this.view = view;
  }

  /** Starts the write over. */
  rewind(): void {
    this.#round = 0;
  }

  get needsReinvocation(): boolean {
    return this.#round === 1 && this.#mutations[0].result.isChanged;
  }

  mutate(attributes: Attributes): void {
    const round = this.#round;
    if (!this.#mutations[round] && !concernsAny(attributes, "mutating")) return;
    const known = this.#mutations[round];
    if (!known || !isSame(known, attributes)) throw new Unanswered((signal) => this.#mutate(round, attributes, signal));
    this.#round++;
    if (attributes.object && known.result.object) replaceContent(attributes.object, deepCopy(known.result.object));
  }

  validate(attributes: Attributes): void {
    if (this.#validated && isSame(this.#validated, attributes) || !concernsAny(attributes, "validating")) return;
    throw new Unanswered(async (signal) => {
      const asked = keep(attributes);
      await validate(this.#unpinned(attributes), signal);
      this.#validated = asked;
    });
  }

  async #mutate(round: number, attributes: Attributes, signal: AbortSignal): Promise<void> {
    this.#mutations.length = round;
    this.#validated = undefined;
    const asked = keep(attributes);
    const before = this.#mutations[0]?.result;
    // A change by anything but webhooks since the first round affects all that were called in it.
    const isOther = before && !deepEqual(before.object, attributes.object);
    const due = isOther ? { asked: new Set<string>(), due: new Set([...before.asked, ...before.due]) } : before;
    this.#mutations.push({ ...asked, result: await mutate(this.#unpinned(attributes), signal, due) });
  }

  /** Webhooks are called in real time. */
  #unpinned(attributes: Attributes): Attributes {
    return { ...attributes, operation: { ...attributes.operation, state: this.#state } };
  }
}

/** Whether any webhook must be called; for most writes there is none. */
function concernsAny(attributes: Attributes, kind: HookKind): boolean {
  return hooksFor(attributes, kind).some((hook) => matchedResource(hook, attributes) !== undefined);
}

function keep({ object, old }: Attributes): Asked {
  return { object: object && deepCopy(object), old };
}

function isSame(asked: Asked, { object, old }: Attributes): boolean {
  return (asked.old === old || deepEqual(asked.old, old)) && deepEqual(asked.object, object);
}

function replaceContent(object: StoredObject, content: StoredObject): void {
  for (const field of Object.keys(object)) delete object[field];
  Object.assign(object, content);
}
