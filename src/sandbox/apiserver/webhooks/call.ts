import { boundedText, type Clock, errorText, goQuote, parseJson, unlessAborted } from "../../../base/mod.ts";
import { translate } from "../base/mod.ts";
import { destinationOf } from "./destination.ts";
import type { Hook, HookKind } from "./hooks.ts";
import { badStatus } from "./bad_status.ts";
import { REVIEW_VERSION, reviewOf, type Verdict, verdictOf } from "./review.ts";
import type { Attributes } from "../operations/mod.ts";
import type { ServedResource } from "../resources/mod.ts";

/** A webhook could not be called, or its answer is invalid; its failure policy says what follows. */
export class CallError extends Error {
  override readonly name = "CallError";

  constructor(hook: Hook, why: string) {
    super(`failed calling webhook ${goQuote(hook.name)}: ${why}`);
  }
}

/** The longest response that is read; larger than any object that could be stored. */
const LONGEST_ANSWER_BYTES = 3 * 1024 * 1024;

/** A call to a webhook. */
export interface Question {
  readonly hook: Hook;
  readonly kind: HookKind;
  readonly attributes: Attributes;
  /** The version in which the webhook sees the write. */
  readonly resource: ServedResource;
  readonly signal: AbortSignal;
}

/**
 * Calls a webhook.
 *
 * Contract:
 * 1. It ends within the webhook's timeout, whatever the webhook does.
 * 2. No more than 3 MiB of a response are read, and no redirect is followed.
 *
 * Upstream: `plugin/webhook/mutating/dispatcher.go` (callAttrMutatingHook).
 *
 * @throws {CallError} If it gives no valid answer.
 */
export async function callWebhook(question: Question): Promise<Verdict> {
  const { hook, kind, attributes, resource, signal } = question;
  const { state } = attributes.operation;
  if (!hook.reviewVersions.includes(REVIEW_VERSION)) {
    const why = `webhook does not accept known AdmissionReview versions (${REVIEW_VERSION})`;
    throw new CallError(hook, `could not create admission objects: ${why}`);
  }
  const uid = state.world.random.uuid();
  const body = JSON.stringify(reviewOf(attributes, resource, uid));
  using late = deadline(state.world.clock, hook.timeoutMs);
  const answer = await post(question, body, AbortSignal.any([signal, late.signal]));
  const failed = (what: string) => (why: string) => new CallError(hook, `${what}: ${why}`);
  const unreadable = failed("failed to call webhook: couldn't get version/kind; json parse error");
  const review = translate((): unknown => parseJson(answer), Error, unreadable);
  return translate(() => verdictOf(review, uid, kind), Error, failed("received invalid webhook response"));
}

/** A signal that aborts after a time. */
export function deadline(clock: Clock, timeoutMs: number): Disposable & { readonly signal: AbortSignal } {
  const late = new AbortController();
  const timer = clock.setTimer(timeoutMs, () => late.abort(new Error("context deadline exceeded")));
  return { signal: late.signal, [Symbol.dispose]: () => timer.cancel() };
}

/** @returns The text of a successful response. */
async function post({ hook, attributes }: Question, body: string, signal: AbortSignal): Promise<string> {
  const { store, webhooks } = attributes.operation.state;
  const unknown = (why: string) => new CallError(hook, `could not get REST client: ${why}`);
  const { url, peer, connectUrl } = translate(() => destinationOf(hook, store), Error, unknown);
  const request = (to: string) =>
    new Request(to, {
      method: "POST",
      body,
      signal,
      redirect: "manual",
      headers: { "content-type": "application/json", accept: "application/json, */*" },
    });
  let status: number;
  let text: string;
  try {
    const handler = webhooks.handler(url);
    const asked = handler
      ? (async () => await handler(request(url)))()
      : (async () => await webhooks.send(request(connectUrl()), peer))();
    asked.then((late) => signal.aborted ? late.body?.cancel() : undefined).catch(() => {}); // nobody is waiting for it any more
    const response = await unlessAborted(asked, signal);
    status = response.status;
    text = await boundedText(response.body, { maxBytes: LONGEST_ANSWER_BYTES, signal });
  } catch (error) {
    const why = errorText(signal.aborted ? signal.reason : error);
    throw new CallError(hook, `failed to call webhook: Post ${goQuote(url)}: ${why}`);
  }
  if (status < 200 || status > 206) throw new CallError(hook, `failed to call webhook: ${badStatus(status, text)}`);
  return text;
}
