/** A fault to inject into calls. */
export interface CloudFault {
  /** The affected methods; all by default. */
  readonly methods?: readonly string[];
  /** How many calls are affected; all by default. */
  readonly times?: number;
  /** How long a call takes, in milliseconds; with `Infinity` it never ends. */
  readonly delayMs?: number;
  /** The call's error; without it, the call is only slow. */
  readonly error?: Error;
  /** A false answer; nothing is done. */
  readonly answer?: unknown;
  /** Whether the call is carried out before it fails, so that only the answer is lost. */
  readonly isDone?: boolean;
}

interface Entry {
  readonly fault: CloudFault;
  timesLeft: number;
}

/** The active faults, oldest first. */
export class CloudFaults {
  readonly #entries = new Set<Entry>();

  /** Adds a fault until the returned object is disposed. */
  add(fault: CloudFault): Disposable {
    const entry = { fault, timesLeft: fault.times ?? Infinity };
    this.#entries.add(entry);
    return { [Symbol.dispose]: () => void this.#entries.delete(entry) };
  }

  /** The fault for this call, which it counts. */
  take(method: string): CloudFault | undefined {
    for (const entry of this.#entries) {
      const { methods } = entry.fault;
      if (methods && !methods.includes(method)) continue;
      if (--entry.timesLeft <= 0) this.#entries.delete(entry);
      return entry.fault;
    }
    return undefined;
  }
}
