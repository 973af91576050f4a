import { bold, dim, green, yellow } from "@std/fmt/colors";
import { type Event, objectKey, parseTime } from "../../api/mod.ts";
import type { Board } from "./board.ts";
import { SHOWN_KINDS } from "./kinds.ts";

/** How much room there is, and what time it is. */
export interface ScreenOptions {
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
}

/**
 * The lines of a terminal that shows the board: what is starting, objects by kind, the last events. Never more than fit.
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
  const fit = (text: string) => text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`;
  const lines = board.heading.map((line, index) => index === 0 ? bold(fit(line)) : fit(line));
  lines.push("", steps(board, columns));
  const tallies = SHOWN_KINDS.flatMap(({ resource }, index) => {
    const { ready, total } = board.tally(SHOWN_KINDS[index]);
    if (total === 0) return [];
    const line = fit(`  ${resource.plural.padEnd(24)} ${`${ready}/${total}`.padStart(9)}`);
    return [ready === total ? line : yellow(line)];
  });
  if (tallies.length > 0) lines.push("", ...tallies);
  const room = rows - lines.length - 3;
  const events = room > 0 ? board.events.slice(-room) : [];
  if (events.length > 0) lines.push("", ...events.map((event) => eventLine(event, nowMs, fit)));
  return lines.slice(0, rows - 1);
}

function steps(board: Board, columns: number): string {
  let width = 0;
  const shown = board.steps.map(({ name, isDone }) => {
    width += name.length + 4;
    return width > columns ? "" : isDone ? `${green("✓")} ${name}` : `${yellow("·")} ${name}`;
  });
  return `  ${shown.filter((text) => text !== "").join("  ")}`;
}

function eventLine(event: Event, nowMs: number, fit: (text: string) => string): string {
  const { involvedObject, type, reason, message = "", lastTimestamp, eventTime, metadata } = event;
  const time = lastTimestamp ?? eventTime ?? metadata?.creationTimestamp;
  const age = time ? `${Math.max(0, Math.round((nowMs - parseTime(time)) / 1000))}s` : "";
  const about = `${involvedObject.kind} ${objectKey({ metadata: involvedObject })}`;
  const line = fit(`  ${age.padStart(5)}  ${(reason ?? "").padEnd(20)} ${about}: ${message.replaceAll("\n", " ")}`);
  return type === "Warning" ? yellow(line) : dim(line);
}
