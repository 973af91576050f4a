/** What is to go wrong with calls. */
export interface CloudFault {
  /** The methods that it is about; all by default. */
  readonly methods?: readonly string[];
  /** How many calls; all by default. */
  readonly times?: number;
  /** How long a call takes, in milliseconds; `Infinity`: it never ends. */
  readonly delayMs?: number;
  /** What the call fails with; without it the call is only slow. */
  readonly error?: Error;
  /** What the call answers instead of the truth; nothing is done. */
  readonly answer?: unknown;
  /** Whether what was asked for is done before it fails: the answer alone is lost. */
  readonly isDone?: boolean;
}

interface Entry {
  readonly fault: CloudFault;
  timesLeft: number;
}

/** The faults that there are, the oldest first. */
export class CloudFaults {
  readonly #entries = new Set<Entry>();

  /** Adds one, until what is returned is disposed of. */
  add(fault: CloudFault): Disposable {
    const entry = { fault, timesLeft: fault.times ?? Infinity };
    this.#entries.add(entry);
    return { [Symbol.dispose]: () => void this.#entries.delete(entry) };
  }

  /** What goes wrong with this call; it counts. */
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
