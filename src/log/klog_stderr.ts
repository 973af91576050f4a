/** How much may wait for a slow reader of stderr; beyond that, the oldest lines are dropped. */
const MAX_PENDING_BYTES = 1 << 20;
/** How often `flush` tries, and the pause between tries. */
const FLUSH_TRIES = 100;
const FLUSH_PAUSE_MS = 10;

/** Options of {@link StderrWriter}. */
export interface StderrOptions {
  /** Writes some of `bytes` and returns how many; throws `WouldBlock` if none can be written now. */
  readonly writeSync?: (bytes: Uint8Array) => number;
  /** Waits without letting anything else run. */
  readonly pause?: (ms: number) => void;
}

/**
 * Writes lines to stderr.
 *
 * Contract:
 * 1. A line is written before `write` returns, so that none is lost when the process ends, however it ends.
 * 2. Only if stderr is a pipe that is full and does not block, the rest waits, bounded, for the next `write` or
 *    `flush`.
 * 3. Nothing is ever thrown: no log line is worth a controller.
 */
export class StderrWriter {
  readonly #writeSync: (bytes: Uint8Array) => number;
  readonly #pause: (ms: number) => void;
  readonly #encoder = new TextEncoder();
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #dropped = 0;

  constructor({ writeSync = (bytes) => Deno.stderr.writeSync(bytes), pause = block }: StderrOptions = {}) {
    this.#writeSync = writeSync;
    this.#pause = pause;
  }

  /** Lines dropped because too much was waiting. */
  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    const bytes = this.#encoder.encode(line);
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#writePending();
    while (this.#pendingBytes > MAX_PENDING_BYTES && this.#pending.length > 1) {
      // The first line may be partly written, so its end must be kept.
      this.#pendingBytes -= this.#pending.splice(1, 1)[0].length;
      this.#dropped++;
    }
  }

  /** Writes pending lines, for at most a second. */
  flush(): void {
    for (let tries = 0; tries < FLUSH_TRIES && !this.#writePending(); tries++) this.#pause(FLUSH_PAUSE_MS);
  }

  /** Returns whether nothing is left. */
  #writePending(): boolean {
    while (this.#pending.length > 0) {
      try {
        const written = this.#writeSync(this.#pending[0]);
        this.#pendingBytes -= written;
        if (written < this.#pending[0].length) this.#pending[0] = this.#pending[0].subarray(written);
        else this.#pending.shift();
      } catch (error) {
        if (error instanceof Deno.errors.WouldBlock) return false;
        if (error instanceof Deno.errors.Interrupted) continue;
        this.#pendingBytes = 0; // there is no reader any more
        this.#pending = [];
      }
    }
    return true;
  }
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
