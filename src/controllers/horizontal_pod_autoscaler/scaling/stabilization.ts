import { type Recommendation, withEntry } from "./history.ts";

/** What is recommended once older recommendations are heard too. */
export interface Stabilized {
  readonly replicas: number;
  /** With the new one. */
  readonly recommendations: readonly Recommendation[];
}

/**
 * The highest of what is recommended now and what was within the window.
 * Upstream: `pkg/controller/podautoscaler/horizontal.go` (stabilizeRecommendation).
 */
export function stabilizeDown(
  recommendations: readonly Recommendation[],
  { proposal, nowMs, windowMs }: { readonly proposal: number; readonly nowMs: number; readonly windowMs: number },
): Stabilized {
  const isOld = ({ atMs }: Recommendation) => atMs < nowMs - windowMs;
  const recent = recommendations.filter((recommendation) => !isOld(recommendation));
  return {
    replicas: Math.max(proposal, ...recent.map(({ replicas }) => replicas)),
    recommendations: withEntry(recommendations, { replicas: proposal, atMs: nowMs }, isOld),
  };
}

/**
 * What there is now, unless everything recommended within a window is more, or is less.
 * Upstream: `pkg/controller/podautoscaler/horizontal.go` (stabilizeRecommendationWithBehaviors).
 */
export function stabilizeBoth(
  recommendations: readonly Recommendation[],
  { proposal, current, nowMs, upWindowMs, downWindowMs }: {
    readonly proposal: number;
    readonly current: number;
    readonly nowMs: number;
    readonly upWindowMs: number;
    readonly downWindowMs: number;
  },
): Stabilized {
  const within = (windowMs: number) =>
    recommendations.filter(({ atMs }) => atMs > nowMs - windowMs).map(({ replicas }) => replicas);
  const least = Math.min(proposal, ...within(upWindowMs));
  const most = Math.max(proposal, ...within(downWindowMs));
  const isOld = ({ atMs }: Recommendation) => atMs < nowMs - upWindowMs && atMs < nowMs - downWindowMs;
  return {
    replicas: Math.min(Math.max(current, least), most),
    recommendations: withEntry(recommendations, { replicas: proposal, atMs: nowMs }, isOld),
  };
}
