import { bold, dim, green, yellow } from "@std/fmt/colors";
import { type Event, objectKey, parseTime } from "../../api/mod.ts";
import { printable } from "../printable.ts";
import type { Board } from "./board.ts";
import { SHOWN_KINDS } from "./kinds.ts";
import { wrap } from "./wrap.ts";

/** The available space, and the current time. */
export interface ScreenOptions {
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
}

/**
 * The lines that show the board on a terminal: what is starting, objects by kind, the last events. Never more than fit.
 *
 * @example
 * ```ts
 * import { Board } from "./board.ts";
 * import { screen } from "./screen.ts";
 * import { assertEquals } from "@std/assert";
 * import { stripAnsiCode } from "@std/fmt/colors";
 *
 * const board = new Board();
 * board.step("nodes", false);
 * board.heading = ["kubeloop dev"];
 * const lines = screen(board, { columns: 80, rows: 24, nowMs: 0 });
 * assertEquals(lines.map(stripAnsiCode), ["kubeloop dev", "", "  · nodes"]);
 * ```
 */
export function screen(board: Board, { columns, rows, nowMs }: ScreenOptions): string[] {
  const [first, ...more] = board.heading.map((text) => wrap(text, { columns, indent: 2 }));
  const lines = [...(first ?? []).map((line) => bold(line)), ...more.flat(), "", steps(board, columns)];
  const tallies = SHOWN_KINDS.flatMap(({ resource }, index) => {
    const { ready, total } = board.tally(SHOWN_KINDS[index]);
    if (total === 0) return [];
    const [line] = wrap(`  ${resource.plural.padEnd(24)} ${`${ready}/${total}`.padStart(9)}`, { columns });
    return [ready === total ? line : yellow(line)];
  });
  if (tallies.length > 0) lines.push("", ...tallies);
  const events = eventLines(board.events, { columns, rows: rows - lines.length - 2, nowMs });
  if (events.length > 0) lines.push("", ...events);
  return lines.slice(0, Math.max(0, rows - 1));
}

function steps(board: Board, columns: number): string {
  let width = 0;
  const shown = board.steps.map(({ name, isDone }) => {
    width += name.length + 4;
    return width > columns ? "" : isDone ? `${green("✓")} ${name}` : `${yellow("·")} ${name}`;
  });
  return `  ${shown.filter((text) => text !== "").join("  ")}`;
}

/** The last events that fit completely, because a message's reason is at its end; part of one if none does. */
function eventLines(events: readonly Event[], { columns, rows, nowMs }: ScreenOptions): string[] {
  let shown: string[] = [];
  for (const event of events.toReversed()) {
    const lines = eventLine(event, { columns, rows, nowMs });
    if (shown.length + lines.length > rows) return shown.length > 0 ? shown : lines.slice(0, Math.max(0, rows));
    shown = [...lines, ...shown];
  }
  return shown;
}

function eventLine(
  { involvedObject, type, reason, message = "", series, ...times }: Event,
  { columns, rows, nowMs }: ScreenOptions,
): string[] {
  const time = series?.lastObservedTime ?? times.lastTimestamp ?? times.eventTime ?? times.metadata?.creationTimestamp;
  const age = time ? `${Math.max(0, Math.round((nowMs - parseTime(time)) / 1000))}s` : "";
  const about = `${involvedObject.kind} ${objectKey({ metadata: involvedObject })}`;
  const shown = message.slice(0, columns * Math.max(1, rows)); // no more would fit anyway
  const text = printable(`  ${age.padStart(5)}  ${(reason ?? "").padEnd(20)} ${about}: ${shown}`);
  return wrap(text, { columns, indent: 9 }).map((line) => type === "Warning" ? yellow(line) : dim(line));
}
