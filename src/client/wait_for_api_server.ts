import { errorText, sleep, type World } from "../base/mod.ts";
import type { Client } from "./client.ts";

const PERIOD_MS = 1000;
const LIMIT_MS = 10_000;

/**
 * Waits until the API server reports that it is healthy: GET /healthz every second, for up to ten seconds.
 * Upstream: `k8s.io/controller-manager/app/helper.go` (WaitForAPIServer).
 *
 * @throws {Error} If it does not within ten seconds, with the last answer. Throws the signal's reason when it aborts.
 */
export async function waitForApiServer(
  { world, client, signal }: { readonly world: World; readonly client: Client; readonly signal?: AbortSignal },
): Promise<void> {
  const { clock } = world;
  const endMs = clock.monotonicMs() + LIMIT_MS;
  let last: unknown;
  for (;;) {
    try {
      const leftMs = Math.max(1, endMs - clock.monotonicMs());
      await client.requestText("GET", "/healthz", { signal, timeoutMs: leftMs });
      return;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      last = error;
    }
    if (clock.monotonicMs() + PERIOD_MS > endMs) break;
    if (!await sleep(clock, PERIOD_MS, signal)) throw signal?.reason;
  }
  const why = errorText(last);
  throw new Error(`failed to wait for apiserver being healthy: ${why}: no healthy answer from /healthz within 10 s`, {
    cause: last,
  });
}
