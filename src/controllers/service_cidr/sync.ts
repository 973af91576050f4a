import { parseTime, type ServiceCIDR } from "../../api/mod.ts";
import { byKey } from "../running/mod.ts";
import { addFinalizer, READY, removeFinalizer, TERMINATING, writeCondition } from "./actions.ts";
import type { CidrContext } from "./context.ts";
import { mayGo } from "./deletion.ts";

/**
 * API servers may allocate from a ServiceCIDR until they notice its deletion, so it stays for this long even if no
 * address is left.
 */
const GRACE_MS = 10_000;

/**
 * Delays a ServiceCIDR's deletion until no Service would be left without a ServiceCIDR for its address, and reports
 * that in its status.
 * Upstream: `pkg/controller/servicecidrs/servicecidrs_controller.go` (sync).
 *
 * @param key The object's name.
 * @throws {Error} If the key must be retried: it could not be written.
 */
export async function syncCidr(key: string, context: CidrContext): Promise<void> {
  const cidr = byKey(context.cidrs, key);
  if (!cidr) return;
  if (cidr.metadata?.deletionTimestamp) return await release(cidr, context);
  await addFinalizer(cidr, context);
  try {
    await writeCondition(cidr, READY, context);
  } catch (err) {
    context.world.log.info("error updating default ServiceCIDR status", { err, serviceCIDR: key });
    const message = "The ServiceCIDR Status can not be set to Ready=True";
    context.recorder.event(cidr, "Warning", "KubernetesServiceCIDRError", message);
    throw err;
  }
}

async function release(cidr: ServiceCIDR, context: CidrContext): Promise<void> {
  const { world: { clock }, queue } = context;
  const { name = "", deletionTimestamp = "" } = cidr.metadata ?? {};
  if (!await mayGo(cidr, context)) return await writeCondition(cidr, TERMINATING, context);
  const leftMs = parseTime(deletionTimestamp) + GRACE_MS - clock.wallMs();
  if (leftMs > 0) queue.addAfter(name, leftMs, { due: "API servers know of the deletion" });
  else await removeFinalizer(cidr, context);
}
