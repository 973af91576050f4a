import { BASELINE } from "./baseline.ts";
import type { PodLike, Violation } from "./check.ts";
import { type LevelVersion, minorOf } from "./policy.ts";
import { RESTRICTED } from "./restricted.ts";

/** All ways in which a pod exceeds a level. Upstream: `pod-security-admission/policy/registry.go` (EvaluatePod). */
export function violations(pod: PodLike, wanted: LevelVersion): Violation[] {
  if (wanted.level === "privileged") return [];
  const minor = minorOf(wanted);
  const stricter = wanted.level === "restricted" ? Object.values(RESTRICTED) : [];
  const restricted = stricter.filter(({ since }) => since <= minor);
  const replaced = restricted.map(({ replaces }) => replaces);
  const baseline = Object.entries(BASELINE).filter(([name, { since }]) => since <= minor && !replaced.includes(name));
  return [...baseline.map(([, check]) => check), ...restricted].flatMap(({ find }) => find(pod, minor) ?? []);
}

/** `privileged (container "c" must not ...), hostPort (...)`. */
export function detailText(found: readonly Violation[]): string {
  return found.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
}

/** `privileged, hostPort`. */
export function reasonText(found: readonly Violation[]): string {
  return found.map(({ reason }) => reason).join(", ");
}
