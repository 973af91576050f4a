import { deepCopy, deepEqual, goQuote, parallelize, parseJson } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { badRequest, internalError, isObject, translate } from "../base/mod.ts";
import { applyJsonPatch, type JsonPatchOperation, MOST_OPERATIONS } from "../patch/mod.ts";
import { typeName } from "../schema/mod.ts";
import type { Attributes, Operation } from "../operations/mod.ts";
import { CallError, callWebhook, type Question } from "./call.ts";
import { type Hook, type HookKind, hooksOf } from "./hooks.ts";
import { isExempt, matchedResource } from "./match.ts";
import { rejection, type Verdict } from "./review.ts";

/** How many webhooks are called at the same time for a write. */
const MOST_AT_ONCE = 16;

/**
 * Which webhooks must be called again, because others changed the object after them. Upstream: webhookReinvokeContext.
 */
export interface Reinvocation {
  /** The called webhooks that ask for reinvocation. */
  readonly asked: ReadonlySet<string>;
  /** Those of them after which the object changed. */
  readonly due: ReadonlySet<string>;
}

/** The object after mutating webhooks. */
export interface Mutation extends Reinvocation {
  /** Absent if there is none, as for a deletion. */
  readonly object?: StoredObject;
  readonly isChanged: boolean;
}

/**
 * Calls the mutating webhooks one after the other, each with the object as changed by those before it.
 * Upstream: `plugin/webhook/mutating/dispatcher.go`.
 *
 * @param before The result of the first round, if this is the second: only webhooks with a change since are called.
 * @throws {ApiError} If a webhook refuses, or cannot be called but is required.
 */
export async function mutate(
  attributes: Attributes,
  signal: AbortSignal,
  before?: Reinvocation,
): Promise<Mutation> {
  const object = attributes.object && deepCopy(attributes.object);
  const current: Attributes = { ...attributes, object };
  let asked = new Set(before?.asked);
  const due = new Set(before?.due);
  let isChanged = false;
  for (const hook of hooksFor(attributes, "mutating")) {
    if (before && !before.due.has(hook.id)) continue;
    const resource = matchedResource(hook, current);
    if (!resource) continue;
    const verdict = await ask({ hook, kind: "mutating", attributes: current, resource, signal });
    if (verdict && isPatched(current, { hook, resource, verdict })) {
      isChanged = true;
      for (const id of asked) due.add(id);
      asked = new Set();
    }
    if (hook.isReinvoked) asked.add(hook.id);
  }
  return { object, isChanged, asked, due };
}

/**
 * Calls the validating webhooks in parallel. Upstream: `plugin/webhook/validating/dispatcher.go`.
 *
 * @throws {ApiError} If one of them refuses, or cannot be called but is required; the first in order if several do.
 */
export async function validate(attributes: Attributes, signal: AbortSignal): Promise<void> {
  const matched = hooksFor(attributes, "validating").flatMap((hook) => {
    const resource = matchedResource(hook, attributes);
    return resource ? [{ hook, resource }] : [];
  });
  const refusals = new Map<number, unknown>();
  await parallelize(MOST_AT_ONCE, matched.length, async (i) => {
    try {
      await ask({ ...matched[i], kind: "validating", attributes, signal });
    } catch (error) {
      refusals.set(i, error);
    }
  }, signal);
  signal.throwIfAborted();
  const first = Math.min(...refusals.keys());
  if (refusals.has(first)) throw refusals.get(first);
}

/** The webhooks that may apply to a write. */
export function hooksFor(
  { operation: { state, served } }: Pick<Attributes, "operation">,
  kind: HookKind,
): readonly Hook[] {
  return isExempt(served) ? [] : hooksOf(state.store, kind);
}

/** @returns `undefined` if the webhook could not be called and is not required. */
async function ask(question: Question): Promise<Verdict | undefined> {
  const { hook, attributes: { operation }, signal } = question;
  if (operation.dryRun && !hook.takesDryRun) {
    throw badRequest(`admission webhook ${goQuote(hook.name)} does not support dry run`);
  }
  let verdict: Verdict;
  try {
    verdict = await callWebhook(question);
  } catch (error) {
    signal.throwIfAborted();
    heed(error, hook, operation);
    return undefined;
  }
  for (const warning of verdict.warnings) operation.warnings.add(warning);
  if (!verdict.isAllowed) throw rejection(hook.name, verdict.status);
  return verdict;
}

/** Ignores a failure if the webhook's failure policy says so; throws all others. */
function heed(error: unknown, hook: Hook, { state }: Operation): void {
  if (!(error instanceof CallError)) throw error;
  if (!hook.isFailureIgnored) throw internalError(error.message);
  state.world.log.warn("Failed calling webhook, failing open", { webhook: hook.name, err: error });
}

type Answered = Pick<Question, "hook" | "resource"> & { readonly verdict: Verdict };

/** Whether a webhook's patch changed the object. */
function isPatched(attributes: Attributes, answered: Answered): boolean {
  try {
    return patch(attributes, answered);
  } catch (error) {
    heed(error, answered.hook, attributes.operation);
    return false;
  }
}

function patch({ object, view }: Attributes, { hook, resource, verdict }: Answered): boolean {
  const operations = verdict.patch === "" ? [] : operationsOf(hook, verdict.patch);
  if (operations.length === 0) return false;
  if (!object) {
    const what = "attempted to modify the object, which is not supported for this operation";
    throw internalError(`admission webhook ${goQuote(hook.name)} ${what}`);
  }
  if (verdict.patchType !== "JSONPatch") {
    throw new CallError(hook, `unsupported patch type ${goQuote(verdict.patchType)}`);
  }
  const before = deepCopy(object);
  const shown = deepCopy(view.show(resource, object));
  const patched = translate(() => applyJsonPatch(shown, operations), Error, internalError);
  if (!isObject(patched)) throw internalError(`admission webhook ${goQuote(hook.name)} did not return an object`);
  view.take(resource, object, patched);
  return !deepEqual(before, object);
}

function operationsOf(hook: Hook, text: string): readonly JsonPatchOperation[] {
  const undecodable = (why: string) => new CallError(hook, `received undecodable patch in webhook response: ${why}`);
  const operations = translate((): unknown => parseJson(text), Error, undecodable);
  if (!Array.isArray(operations)) throw undecodable(`it must be a list, not ${typeName(operations)}`);
  for (const operation of operations) {
    if (!isObject(operation)) throw undecodable(`an operation must be an object, not ${typeName(operation)}`);
  }
  if (operations.length <= MOST_OPERATIONS) return operations;
  throw new CallError(hook, `its patch has ${operations.length} operations, more than ${MOST_OPERATIONS}`);
}
