import type { Timer, World } from "../../base/mod.ts";
import { printLine, type Sink, write } from "../output.ts";
import type { Board } from "./board.ts";
import { screen } from "./screen.ts";

/** Shows the progress and the log. */
export interface View extends Disposable {
  /** The board changed. */
  changed(): void;
  /** Prints a line if nothing is redrawn. */
  say(line: string): void;
  /** A line of the log, with its line break. */
  log(line: string): void;
}

/** Prints lines one after the other, for pipes and files. The log goes to `errors`. */
export class PlainView implements View {
  readonly #lines: Sink;
  readonly #errors: Sink;

  constructor({ lines, errors }: { readonly lines: Sink; readonly errors: Sink }) {
    this.#lines = lines;
    this.#errors = errors;
  }

  changed(): void {}

  say(line: string): void {
    printLine(line, this.#lines);
  }

  log(line: string): void {
    write(line, this.#errors);
  }

  [Symbol.dispose](): void {}
}

/** The part of a terminal that is used here. */
export interface Terminal extends Sink {
  size(): { readonly columns: number; readonly rows: number };
}

/** The shortest interval between redraws; the longest is a second, so that ages are right. */
const FRAME_MS = 100;
const AGE_MS = 1000;

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
const CLEAR_DOWN = "\x1b[J";
const CLEAR_LINE_END = "\x1b[K";

/**
 * A part of a terminal that is redrawn as things change.
 *
 * Contract:
 * 1. It is redrawn at most ten times a second, and at least once a second.
 * 2. Lines are never longer than the terminal is wide, nor more than it has rows; earlier output stays above.
 * 3. A line of the log is printed above, and stays.
 * 4. When it is disposed of, the last state is on the terminal, the cursor shows, and no timer is left.
 */
export class TerminalView implements View {
  readonly #world: World;
  readonly #terminal: Terminal;
  readonly #board: Board;
  #drawnLines = 0;
  #timer: Timer;
  #isDue = false;

  constructor(
    { world, terminal, board }: { readonly world: World; readonly terminal: Terminal; readonly board: Board },
  ) {
    this.#world = world;
    this.#terminal = terminal;
    this.#board = board;
    write(HIDE_CURSOR, terminal);
    this.#draw();
    this.#timer = this.#after(AGE_MS);
  }

  changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#timer.cancel();
    this.#timer = this.#after(FRAME_MS);
  }

  /** The board already shows it. */
  say(): void {}

  log(line: string): void {
    this.#redraw(line);
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
    this.#draw();
    write(SHOW_CURSOR, this.#terminal);
  }

  #after(delayMs: number): Timer {
    return this.#world.clock.setTimer(delayMs, () => {
      this.#isDue = false;
      this.#draw();
      this.#timer = this.#after(AGE_MS);
    });
  }

  #draw(): void {
    this.#redraw("");
  }

  /** Redraws below `above`. */
  #redraw(above: string): void {
    const { columns, rows } = this.#terminal.size();
    const nowMs = this.#world.clock.wallMs();
    const lines = screen(this.#board, { columns, rows, nowMs });
    const back = this.#drawnLines > 0 ? `\x1b[${this.#drawnLines}A` : "";
    write(
      `\r${back}${above && CLEAR_DOWN}${above}${
        lines.map((line) => `${line}${CLEAR_LINE_END}\n`).join("")
      }${CLEAR_DOWN}`,
      this.#terminal,
    );
    this.#drawnLines = lines.length;
  }
}
