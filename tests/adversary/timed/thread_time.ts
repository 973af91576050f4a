const SCHEDULED = "/proc/thread-self/schedstat";

/**
 * For how many milliseconds this thread has run: others that keep the processors busy count in no difference of two of these. Where
 * nothing tells that (it is not Linux), time is told instead.
 */
export function threadMs(): number {
  try {
    return Number(Deno.readTextFileSync(SCHEDULED).split(" ")[0]) / 1e6;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return performance.now();
  }
}
