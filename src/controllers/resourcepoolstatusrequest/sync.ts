import { TurnBudget } from "../../base/mod.ts";
import { byKey } from "../running/mod.ts";
import { answer, remove } from "./actions.ts";
import type { PoolStatusContext } from "./context.ts";
import { isExpired } from "./expiry.ts";
import { reportPools } from "./pools.ts";

/**
 * Answers a request once. While a requested pool lacks slices, there is no answer.
 * Upstream: `pkg/controller/resourcepoolstatusrequest/controller.go` (syncRequest).
 *
 * @param key The request's name.
 * @throws {Error} If it must be retried.
 */
export async function syncRequest(key: string, context: PoolStatusContext): Promise<void> {
  const { world: { clock }, slices, claims, metrics } = context;
  const begunMs = clock.monotonicMs();
  const request = byKey(context.requests, key);
  if (!request || request.status) return;
  const { spec } = request;
  const report = await new TurnBudget(clock).run(reportPools({ spec, slices: slices.list(), claims: claims.list() }));
  if (report.pools.some(({ validationError }) => validationError !== undefined)) {
    throw new Error("incomplete pools detected, requeueing");
  }
  let isWritten = false;
  try {
    await answer(request, report, context);
    isWritten = true;
  } finally {
    metrics.processed(spec.driver, { isWritten, tookMs: clock.monotonicMs() - begunMs });
  }
}

/** Deletes expired requests. */
export async function removeExpired(context: PoolStatusContext, signal: AbortSignal): Promise<void> {
  const { clock } = context.world;
  const budget = new TurnBudget(clock);
  for (const request of context.requests.list()) {
    if (signal.aborted) return;
    if (isExpired(request, clock.wallMs())) await remove(request, context);
    if (budget.spent) await budget.nextTurn();
  }
}
