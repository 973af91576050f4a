/** Facts as they are observed, for tests of what is concluded from them. */
import type { KubeObject, ObjectMeta, Resource } from "../../../../src/api/mod.ts";
import type {
  ContentFacts,
  Details,
  ManagerFact,
  ObjectFacts,
  Observation,
} from "../../../../src/cli/explain/facts.ts";
import type { Explanation, Finding } from "../../../../src/cli/explain/finding.ts";
import { explainFacts } from "../../../../src/cli/explain/reason.ts";

export const NOW_MS = Date.UTC(2026, 0, 1, 1);
export const HOLD = "example.com/hold";
/** Ten minutes before now. */
export const ASKED = "2026-01-01T00:50:00Z";
const LEADS: ManagerFact = { type: "leads", holder: "somebody" };

export interface FactParts extends Partial<Omit<ObjectFacts, "resource" | "object">> {
  readonly metadata?: ObjectMeta;
  readonly object?: KubeObject;
}

/** An object as it was seen. */
export function facts(resource: Resource, name: string, { metadata, object, ...rest }: FactParts = {}): ObjectFacts {
  const namespace = resource.namespaced ? "shop" : undefined;
  return {
    resource,
    object: { ...object, metadata: { name, namespace, uid: `uid-${name}`, ...object?.metadata, ...metadata } },
    owners: [],
    details: { type: "plain" } satisfies Details,
    ...rest,
  };
}

/** One kind in a namespace, all of whose objects were looked at. */
export function content(resource: Resource, count: number, rest: Partial<ContentFacts> = {}): ContentFacts {
  return { resource, count, isAtLeast: false, lookedAt: count, deleting: 0, finalizers: [], samples: [], ...rest };
}

export function explainOf(target: ObjectFacts, rest: Partial<Observation> = {}): Explanation {
  return explainFacts({ target, manager: LEADS, unread: [], ...rest }, NOW_MS);
}

/** The findings as `code level` in a tree of arrays, which is what matters of most of them. */
export function codes(findings: readonly Finding[]): unknown[] {
  return findings.map(({ code, level, causes = [] }) =>
    causes.length > 0 ? [`${code} ${level}`, codes(causes)] : `${code} ${level}`
  );
}

/** All messages, whatever their place. */
export function messages(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ message, causes = [] }) => [message, ...messages(causes)]);
}
