/** An earlier recommendation. Times by the monotonic clock. */
export interface Recommendation {
  readonly replicas: number;
  readonly atMs: number;
}

/** An earlier scaling, as a number of added or removed replicas. */
export interface ScaleEvent {
  readonly change: number;
  readonly atMs: number;
  /** Whether all policies have stopped considering it. */
  readonly isOutdated: boolean;
}

/** One autoscaler's recommendations and scalings. In memory only. */
export interface ScalingHistory {
  recommendations: readonly Recommendation[];
  scaleUps: readonly ScaleEvent[];
  scaleDowns: readonly ScaleEvent[];
}

/**
 * The history of a new autoscaler. Its current replicas count as recommended, so that a new leader does not at once
 * scale down what its predecessor kept.
 */
export function newHistory(current: number, nowMs: number): ScalingHistory {
  return { recommendations: [{ replicas: current, atMs: nowMs }], scaleUps: [], scaleDowns: [] };
}

/** The list with another entry, which replaces the last unused one. */
function withEntry<T>(list: readonly T[], entry: T, isUseless: (entry: T) => boolean): readonly T[] {
  const place = list.findLastIndex(isUseless);
  return place < 0 ? [...list, entry] : list.with(place, entry);
}

/**
 * The events with one more. Upstream: `pkg/controller/podautoscaler/horizontal.go` (storeScaleEvent).
 *
 * @param change How many replicas were added or removed.
 * @param longestPeriodMs The policies' longest period; older events no longer matter.
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

/** How many replicas were added or removed within a period. */
export function changeWithin(events: readonly ScaleEvent[], periodMs: number, nowMs: number): number {
  return events.reduce((sum, { change, atMs }) => atMs > nowMs - periodMs ? sum + change : sum, 0);
}

/** A recommendation that takes older ones into account. */
export interface Stabilized {
  readonly replicas: number;
  /** Including the new one. */
  readonly recommendations: readonly Recommendation[];
}

/**
 * The highest recommendation within the window, including the current one.
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
 * The current number, unless all recommendations within the window are higher, or all are lower.
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
