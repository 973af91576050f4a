import { type Job, JOBS } from "../../api/mod.ts";
import { refOf } from "../running/mod.ts";
import type { TtlContext } from "./context.ts";

/** Deletes exactly this Job, and its pods before it. */
export async function deleteExpired(
  job: Job,
  expiredAtMs: number,
  { client, latency, world: { clock } }: Pick<TtlContext, "client" | "latency" | "world">,
): Promise<void> {
  const preconditions = { uid: job.metadata?.uid };
  await client.delete(JOBS, refOf(job), { propagationPolicy: "Foreground", preconditions });
  latency.observe((clock.wallMs() - expiredAtMs) / 1000);
}
