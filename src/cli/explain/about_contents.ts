import { groupResource, isConditionTrue, type Namespace, type Resource } from "../../api/mod.ts";
import type { ApiFailure, ContentFacts, Details, ListFailure, ObjectFacts } from "./facts.ts";
import { removerOf } from "./finalizer_table.ts";
import type { Finding } from "./finding.ts";
import { counted, shellWord } from "./wording.ts";

type Explain = (facts: ObjectFacts) => Finding;

/** What keeps a namespace from being deleted: objects, and parts of the API that cannot list theirs. */
export function namespaceContents(
  { namespace, contents, apiFailures, listFailures }: Extract<Details, { type: "namespace" }>,
  explain: Explain,
): Finding[] {
  const isDeleting = namespace.metadata?.deletionTimestamp !== undefined;
  const podsFirst = isDeleting && contents.length > 1 && contents.some(({ resource }) => isPods(resource));
  return [
    ...apiFailures.map(apiFailure),
    ...listFailures.map(listFailure),
    ...contents.length === 0 && apiFailures.length + listFailures.length === 0
      ? [{ code: "NothingLeft", level: "info", message: "nothing that could be listed is left in it" } as const]
      : [],
    ...contents.length === 0 ? [] : [remaining(contents, explain, { isDeleting, podsFirst })],
    ...conditionsBeyond(namespace, { apiFailures, listFailures }),
  ];
}

/** What keeps a custom kind's definition from being deleted: its objects. */
export function definitionContents(
  { definition, contents, listFailures }: Extract<Details, { type: "definition" }>,
  explain: Explain,
): Finding[] {
  const failures = listFailures.map(listFailure);
  const isDeleting = definition.metadata?.deletionTimestamp !== undefined;
  if (contents.length > 0) return [...failures, remaining(contents, explain, { isDeleting })];
  return failures.length > 0
    ? failures
    : [{ code: "NothingLeft", level: "info", message: "no object of the kind was found" }];
}

function isPods(resource: Resource): boolean {
  return groupResource(resource) === "pods";
}

function remaining(
  contents: readonly ContentFacts[],
  explain: Explain,
  { isDeleting, podsFirst = false }: { readonly isDeleting: boolean; readonly podsFirst?: boolean },
): Finding {
  const count = contents.reduce((sum, content) => sum + content.count, 0);
  const atLeast = contents.some(({ isAtLeast }) => isAtLeast) ? "at least " : "";
  const verb = isDeleting ? count === 1 ? "remains" : "remain" : "would be deleted with it";
  const kinds = counted(contents.length, "kind");
  return {
    code: "RemainingContent",
    level: isDeleting ? "blocks" : "info",
    message: `${atLeast}${counted(count, "object")} of ${kinds} ${verb}`,
    causes: [
      ...podsFirst
        ? [
          {
            code: "PodsFirst",
            level: "info",
            message: "pods go first; nothing else is deleted as long as there are pods",
          } as const,
        ]
        : [],
      ...contents.map((content) => remainingKind(content, explain, isDeleting)),
    ],
  };
}

function remainingKind(content: ContentFacts, explain: Explain, isDeleting: boolean): Finding {
  const { resource, count, isAtLeast, lookedAt, deleting, finalizers, samples } = content;
  const among = lookedAt < count ? ` (of the first ${lookedAt})` : "";
  const held = finalizers.map(([name, times]) => `${name} on ${times}`);
  const progress = deleting === 0
    ? "none being deleted yet"
    : deleting < lookedAt
    ? `${deleting} being deleted`
    : "being deleted";
  const parts = [
    ...isDeleting || deleting > 0 ? [progress] : [],
    ...held.length > 0 ? [`finalizers: ${held.join(", ")}`] : [],
  ];
  // Its samples explain it; more would say the same.
  const more = samples.length > 0 ? finalizedCount(content) - samples.length : 0;
  const knows = finalizers.length > 0 && finalizers.every(([name]) => removerOf(name));
  return {
    code: "RemainingKind",
    level: finalizers.length === 0 ? isDeleting ? "passes" : "info" : knows ? "passes" : "blocks",
    message: `${[`${groupResource(resource)}: ${isAtLeast ? "at least " : ""}${count}`, ...parts].join("; ")}${among}`,
    causes: [
      ...samples.map(explain),
      ...more > 0 ? [{ code: "More", level: "info", message: `and ${more} more like that` } as const] : [],
    ],
  };
}

/** A lower bound: one object can carry several finalizers. */
function finalizedCount({ deleting, finalizers }: ContentFacts): number {
  return Math.max(deleting, ...finalizers.map(([, count]) => count));
}

function apiFailure({ groupVersion, error, apiService }: ApiFailure): Finding {
  const message = error === undefined
    ? `API ${groupVersion} is announced, but does not answer`
    : `API ${groupVersion} cannot be asked what it has: ${error}`;
  const why = [apiService?.reason, apiService?.message].filter((text) => text).join(": ");
  return {
    code: "ApiFailure",
    level: "blocks",
    message: `${message}; a namespace is not finished before every API says that nothing is left`,
    waitsFor: apiService?.service ? `service ${apiService.service}` : undefined,
    causes: apiService && [{
      code: "ApiFailure",
      level: "blocks",
      message:
        `apiservice.apiregistration.k8s.io/${apiService.name} for service ${apiService.service} is not available${
          why ? `: ${why}` : ""
        }`,
    }],
    advice: {
      key: `API ${groupVersion}`,
      text: `bring back what serves ${groupVersion}${apiService?.service ? ` (service ${apiService.service})` : ""}` +
        `${apiService ? "; if it is gone for good, delete its APIService" : ""}`,
      command: apiService && `kubectl delete apiservice ${shellWord(apiService.name)}`,
    },
  };
}

function listFailure({ resource, error }: ListFailure): Finding {
  return {
    code: "ListFailure",
    level: "blocks",
    message: `${groupResource(resource)} cannot be listed: ${error}`,
    advice: {
      key: `list ${groupResource(resource)}`,
      text:
        `find out why the API server cannot list ${groupResource(resource)}: a conversion webhook, broken objects ` +
        "or a server of extensions that does not answer",
    },
  };
}

/** Failures that only the namespace's own conditions report; remaining objects were counted here. */
function conditionsBeyond(
  { status }: Namespace,
  { apiFailures, listFailures }: {
    readonly apiFailures: readonly unknown[];
    readonly listFailures: readonly unknown[];
  },
): Finding[] {
  const isSeen = apiFailures.length + listFailures.length > 0;
  return (status?.conditions ?? []).flatMap(({ type, reason, message, lastTransitionTime }) => {
    if (!FAILURES.has(type) || isSeen || !isConditionTrue(status?.conditions, type)) return [];
    const text = `its condition ${type} says since ${lastTransitionTime}: ${reason}: ${message}`;
    return [{ code: "NamespaceCondition", level: "blocks", message: text } as const];
  });
}

const FAILURES: ReadonlySet<string> = new Set([
  "NamespaceDeletionDiscoveryFailure",
  "NamespaceDeletionGroupVersionParsingFailure",
  "NamespaceDeletionContentFailure",
]);
