/** Resolves when `signal` aborts, at once if it has. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true })
  );
}

/** Settles like `promise`, or rejects with the reason of `signal` as soon as that aborts. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Settles like `promise`, or resolves to `fallback` as soon as `signal` aborts. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal, fallback: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(fallback);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    promise.finally(() => signal.removeEventListener("abort", onAbort)).then(resolve, reject);
  });
}
