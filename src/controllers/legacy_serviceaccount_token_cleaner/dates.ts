import { formatTime, parseTime } from "../../api/mod.ts";

/** The UTC day in the labels' format: `2026-01-31`. Days sort as texts. */
export function dayOf(wallMs: number): string {
  return formatTime(wallMs).slice(0, "2026-01-31".length);
}

/** The start of a UTC day in milliseconds since 1970; `undefined` if the text is malformed. */
export function beginOf(day: string): number | undefined {
  try {
    return parseTime(`${day}T00:00:00Z`);
  } catch {
    return undefined;
  }
}
