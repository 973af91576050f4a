/** Counts the abort listeners on `signal` from now on: what lives as long as a process must not gather them. */
export function countListeners(signal: AbortSignal): { readonly count: number } {
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (type: string, listener: unknown, options?: unknown) => {
    listeners.add(listener);
    Reflect.apply(addEventListener, signal, [type, listener, options]);
  };
  signal.removeEventListener = (type: string, listener: unknown) => {
    listeners.delete(listener);
    Reflect.apply(removeEventListener, signal, [type, listener]);
  };
  return {
    get count() {
      return listeners.size;
    },
  };
}
