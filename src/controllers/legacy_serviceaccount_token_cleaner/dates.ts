import { formatTime, parseTime } from "../../api/mod.ts";

/** The day in UTC, as labels have it: `2026-01-31`. Later days are later texts. */
export function dayOf(wallMs: number): string {
  return formatTime(wallMs).slice(0, "2026-01-31".length);
}

/** Milliseconds since 1970 at which a day began in UTC; `undefined` if the text is none. */
export function beginOf(day: string): number | undefined {
  try {
    return parseTime(`${day}T00:00:00Z`);
  } catch {
    return undefined;
  }
}
