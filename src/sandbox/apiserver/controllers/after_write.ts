/**
 * Does `act` once after the present write, which must end before another begins, however often it is asked to meanwhile.
 *
 * @param failed Called with the error if `act` fails.
 * @returns A function that asks for it.
 */
export function afterWrite(act: () => void, failed: (err: unknown) => void): () => void {
  let isQueued = false;
  const run = async () => {
    await Promise.resolve();
    isQueued = false;
    act();
  };
  return () => {
    if (isQueued) return;
    isQueued = true;
    run().catch(failed);
  };
}
