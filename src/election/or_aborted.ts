/** What `promise` gives, or `fallback` as soon as `signal` aborts. `promise` must not reject. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal, fallback: T): Promise<T> {
  if (signal.aborted) return Promise.resolve(fallback);
  return new Promise((resolve) => {
    const onAbort = () => resolve(fallback);
    signal.addEventListener("abort", onAbort, { once: true });
    void promise.then(resolve).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
