import type { Container, EphemeralContainer, ObjectMeta, PodSpec, SecurityContext } from "../../../../api/mod.ts";
import { compareUtf8 } from "../../../../base/mod.ts";

export interface PodLike {
  readonly metadata?: ObjectMeta;
  readonly spec: PodSpec;
}

/** How a pod exceeds a level: a short reason, and the part of the pod. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** A rule of a level. Upstream: `pod-security-admission/policy/checks.go`. */
export interface Check {
  /** The first minor version that has it. */
  readonly since: number;
  /** The baseline rule of which this is a stricter form. */
  readonly replaces?: string;
  find(pod: PodLike, minor: number): Violation | undefined;
}

export type AnyContainer = Container | EphemeralContainer;

/** All containers of a pod, in the order of messages. */
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

/** `container "a"`, `containers "a", "b"`; empty if there are none. */
export function named(parts: readonly { readonly name: string }[], what = "container"): string {
  return parts.length > 0 ? `${plural(what, parts.length)} ${quoted(parts.map(({ name }) => name))}` : "";
}

/** The offenders: `pod and container "a"`; empty if there are none. */
export function setters(isPodBad: boolean, containers: readonly AnyContainer[]): string {
  return [isPodBad ? "pod" : "", named(containers)].filter((part) => part !== "").join(" and ");
}

/** What `who` does against a rule; nothing if that is nobody. */
export function violation(reason: string, who: string, does: string): Violation | undefined {
  return who === "" ? undefined : { reason, detail: `${who} ${does}` };
}

/** The containers with a security context for which `bad` holds. */
export function whose(pod: PodLike, bad: (context: SecurityContext) => unknown): readonly AnyContainer[] {
  return containersOf(pod).filter(({ securityContext }) => securityContext && bad(securityContext));
}

/** Whether the pod runs on Windows, so that, since v1.25, rules about Linux do not apply. */
export function isWindows({ spec }: PodLike, minor: number): boolean {
  return minor >= 25 && spec.os?.name === "windows";
}

/** Whether the pod has its own user namespace, which relaxes some rules since v1.35. */
export function hasOwnUsers({ spec }: PodLike, minor: number): boolean {
  return minor >= 35 && spec.hostUsers === false;
}
