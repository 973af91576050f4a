/** What was once recommended. Times by the clock that never goes back. */
export interface Recommendation {
  readonly replicas: number;
  readonly atMs: number;
}

/** What was once done, as a number of replicas added or taken away. */
export interface ScaleEvent {
  readonly change: number;
  readonly atMs: number;
  /** Whether no policy looked at it any more, once. */
  readonly isOutdated: boolean;
}

/** What has been recommended for one autoscaler, and what was done. In memory only. */
export interface ScalingHistory {
  recommendations: readonly Recommendation[];
  scaleUps: readonly ScaleEvent[];
  scaleDowns: readonly ScaleEvent[];
}

/**
 * The history of an autoscaler not seen before. What there is now counts as recommended, lest a new leader scales down at once
 * what its predecessor held up.
 */
export function newHistory(current: number, nowMs: number): ScalingHistory {
  return { recommendations: [{ replicas: current, atMs: nowMs }], scaleUps: [], scaleDowns: [] };
}

/** The list with one more entry, in the place of the last one for which nobody has any use. */
function withEntry<T>(list: readonly T[], entry: T, isUseless: (entry: T) => boolean): readonly T[] {
  const place = list.findLastIndex(isUseless);
  return place < 0 ? [...list, entry] : list.with(place, entry);
}

/**
 * The events with one more. Upstream: `pkg/controller/podautoscaler/horizontal.go` (storeScaleEvent).
 *
 * @param change How many replicas were added or taken away.
 * @param longestPeriodMs Of the policies: what is older does not matter any more.
 */
export function withScaleEvent(
  events: readonly ScaleEvent[],
  change: number,
  { nowMs, longestPeriodMs }: { readonly nowMs: number; readonly longestPeriodMs: number },
): readonly ScaleEvent[] {
  const marked = events.map((event) =>
    event.isOutdated || event.atMs >= nowMs - longestPeriodMs ? event : { ...event, isOutdated: true }
  );
  return withEntry(marked, { change, atMs: nowMs, isOutdated: false }, ({ isOutdated }) => isOutdated);
}

/** How many replicas were added, or taken away, within a period. */
export function changeWithin(events: readonly ScaleEvent[], periodMs: number, nowMs: number): number {
  return events.reduce((sum, { change, atMs }) => atMs > nowMs - periodMs ? sum + change : sum, 0);
}

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
