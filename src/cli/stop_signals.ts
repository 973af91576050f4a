/** Requests by the operating system or the user to end the process. */
export interface StopSignals extends Disposable {
  /** Aborts at the first SIGTERM or SIGINT. */
  readonly signal: AbortSignal;
}

/**
 * Listens for SIGTERM and SIGINT. The first one aborts `signal`; a second one ends the process at once with code 1.
 *
 * @param onStop Called with the signal's name at the first one.
 */
export function stopSignals(onStop: (name: string) => void): StopSignals {
  const controller = new AbortController();
  const handlers = (["SIGTERM", "SIGINT"] as const).map((name) => {
    const handler = () => {
      if (controller.signal.aborted) Deno.exit(1);
      onStop(name);
      controller.abort(new DOMException(`stopped by ${name}`, "AbortError"));
    };
    Deno.addSignalListener(name, handler);
    return [name, handler] as const;
  });
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => handlers.forEach(([name, handler]) => Deno.removeSignalListener(name, handler)),
  };
}
