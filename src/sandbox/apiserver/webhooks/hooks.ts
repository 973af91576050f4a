import {
  type LabelSelector,
  type MutatingWebhook,
  type MutatingWebhookConfiguration,
  type RuleWithOperations,
  type Selector,
  SelectorError,
  selectorOf,
  type ValidatingWebhook,
} from "../../../api/mod.ts";
import type { Store, StoredObject } from "../../storage/mod.ts";
import { internalError, translate } from "../base/mod.ts";

/** Webhooks that may change objects, or only refuse them. */
export type HookKind = "mutating" | "validating";

/** A webhook of a configuration, ready to be matched. */
export interface Hook {
  /** Identifies the webhook within its configuration, and that. */
  readonly id: string;
  readonly name: string;
  readonly clientConfig: ValidatingWebhook["clientConfig"];
  readonly rules: readonly RuleWithOperations[];
  readonly isFailureIgnored: boolean;
  readonly matchesEquivalents: boolean;
  readonly isReinvoked: boolean;
  readonly timeoutMs: number;
  readonly takesDryRun: boolean;
  readonly reviewVersions: readonly string[];
  /** @throws {ApiError} If it is invalid. */
  readonly namespaceSelector: () => Selector;
  /** @throws {ApiError} If it is invalid. */
  readonly objectSelector: () => Selector;
}

const COLLECTIONS: Readonly<Record<HookKind, string>> = {
  mutating: "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  validating: "validatingwebhookconfigurations.admissionregistration.k8s.io",
};

const SHORTEST_MS = 1000;
const DEFAULT_SECONDS = 10;
const LONGEST_MS = 30_000;
/** Stored objects never change, so the result for one is valid as long as it exists. */
const known = new WeakMap<StoredObject, readonly Hook[]>();

/** All webhooks of a kind in the order in which they are called: by the names of their configurations. */
export function hooksOf(store: Store, kind: HookKind): readonly Hook[] {
  const entries = [...store.list(COLLECTIONS[kind]) ?? []];
  return entries.length === 0 ? [] : entries.flatMap(({ object }) => {
    let hooks = known.get(object);
    if (!hooks) known.set(object, hooks = read(object as StoredObject & MutatingWebhookConfiguration));
    return hooks;
  });
}

function read({ metadata, webhooks = [] }: StoredObject & MutatingWebhookConfiguration): readonly Hook[] {
  return webhooks.map((webhook: MutatingWebhook, i): Hook => {
    const { name, clientConfig, rules = [], failurePolicy, matchPolicy, sideEffects, reinvocationPolicy } = webhook;
    const { timeoutSeconds = DEFAULT_SECONDS, admissionReviewVersions } = webhook;
    return {
      id: `${metadata.uid}/${i}`,
      name,
      clientConfig,
      rules,
      isFailureIgnored: failurePolicy === "Ignore",
      matchesEquivalents: matchPolicy !== "Exact",
      isReinvoked: reinvocationPolicy === "IfNeeded",
      timeoutMs: Math.min(Math.max(timeoutSeconds * 1000, SHORTEST_MS), LONGEST_MS),
      takesDryRun: sideEffects === "None" || sideEffects === "NoneOnDryRun",
      reviewVersions: admissionReviewVersions ?? [],
      namespaceSelector: readOnce(webhook.namespaceSelector),
      objectSelector: readOnce(webhook.objectSelector),
    };
  });
}

function readOnce(selector: LabelSelector = {}): () => Selector {
  let made: Selector | undefined;
  return () => made ??= translate(() => selectorOf(selector), SelectorError, internalError);
}
