import { type ResourceQuota, RESOURCEQUOTAS, type ResourceQuotaStatus } from "../../api/mod.ts";
import type { QuotaContext } from "./context.ts";

/** Sends the whole quota with its version, so that concurrent counting by admission is not overwritten. */
export async function writeStatus(
  quota: ResourceQuota,
  status: ResourceQuotaStatus,
  client: QuotaContext["client"],
): Promise<void> {
  await client.updateStatus(RESOURCEQUOTAS, { ...quota, status });
}
