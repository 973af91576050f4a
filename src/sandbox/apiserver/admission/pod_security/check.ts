import type { Container, EphemeralContainer, ObjectMeta, PodSpec, SecurityContext } from "../../../../api/mod.ts";
import { compareUtf8 } from "../../../../base/mod.ts";

/** A pod, or what one will be made from. */
export interface PodLike {
  readonly metadata?: ObjectMeta;
  readonly spec: PodSpec;
}

/** Why a pod is over a level: in a word, and which part of it. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** A rule of a level. Upstream: `pod-security-admission/policy/checks.go`. */
export interface Check {
  /** The first minor version that has it. */
  readonly since: number;
  /** A baseline rule that this one is a stricter form of. */
  readonly replaces?: string;
  find(pod: PodLike, minor: number): Violation | undefined;
}

type AnyContainer = Container | EphemeralContainer;

/** Every container of a pod, in the order in which messages name them. */
export function containersOf({ spec }: PodLike): readonly AnyContainer[] {
  return [...spec.initContainers ?? [], ...spec.containers ?? [], ...spec.ephemeralContainers ?? []];
}

export function quoted(items: Iterable<string>): string {
  return [...items].map((item) => `"${item}"`).join(", ");
}

export function sortedSet(items: Iterable<string>): string[] {
  return [...new Set(items)].sort(compareUtf8);
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

/** `container "a"`, `containers "a", "b"`. */
export function named(containers: readonly AnyContainer[]): string {
  return `${plural("container", containers.length)} ${quoted(containers.map(({ name }) => name))}`;
}

/** Who sets something bad: `pod and container "a"`; empty where nobody does. */
export function setters(isPodBad: boolean, containers: readonly AnyContainer[]): string {
  const parts = isPodBad ? ["pod"] : [];
  if (containers.length > 0) parts.push(named(containers));
  return parts.join(" and ");
}

/** The containers whose security context is `bad`. */
export function whose(pod: PodLike, bad: (context: SecurityContext) => unknown): readonly AnyContainer[] {
  return containersOf(pod).filter(({ securityContext }) => securityContext && bad(securityContext));
}

/** A pod of Windows, to which rules about Linux do not apply since v1.25. */
export function isWindows({ spec }: PodLike, minor: number): boolean {
  return minor >= 25 && spec.os?.name === "windows";
}

/** A pod whose users are not the host's, for which some rules are relaxed since v1.35. */
export function hasOwnUsers({ spec }: PodLike, minor: number): boolean {
  return minor >= 35 && spec.hostUsers === false;
}
