import { parseTime } from "../../../../api/mod.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** The units for ages below `limitMs`; the second one is left out if it is zero. */
const STEPS: ReadonlyArray<readonly [limitMs: number, unit: string, unitMs: number, rest?: string, restMs?: number]> = [
  [2 * MINUTE, "s", SECOND],
  [10 * MINUTE, "m", MINUTE, "s", SECOND],
  [3 * HOUR, "m", MINUTE],
  [8 * HOUR, "h", HOUR, "m", MINUTE],
  [2 * DAY, "h", HOUR],
  [8 * DAY, "d", DAY, "h", HOUR],
  [2 * YEAR, "d", DAY],
  [8 * YEAR, "y", YEAR, "d", DAY],
  [Infinity, "y", YEAR],
];

/** A duration in kubectl's format for ages. Upstream: `k8s.io/apimachinery/pkg/util/duration` (HumanDuration). */
export function humanDuration(durationMs: number): string {
  if (durationMs < -SECOND) return "<invalid>";
  const ms = Math.max(0, durationMs);
  const [, unit, unitMs, rest, restMs] = STEPS.find(([limitMs]) => ms < limitMs)!;
  const text = `${Math.floor(ms / unitMs)}${unit}`;
  const left = rest && restMs ? Math.floor((ms % unitMs) / restMs) : 0;
  return left > 0 ? `${text}${left}${rest}` : text;
}

export function ageOf(time: string | null | undefined, nowMs: number): string {
  return time ? humanDuration(nowMs - parseTime(time)) : "<unknown>";
}
