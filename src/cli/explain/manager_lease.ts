import { KUBE_SYSTEM, LEASES, parseTime } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { ClusterReader } from "./cluster_reader.ts";
import type { ManagerFact } from "./facts.ts";

/** Whether a kube-controller-manager leads, judging by the default Lease of upstream's and this one's. */
export async function managerLease(reader: ClusterReader, world: World): Promise<ManagerFact> {
  const answer = await reader.get(LEASES, { namespace: KUBE_SYSTEM, name: "kube-controller-manager" });
  if (answer.type === "unread") return { type: "unread" };
  const spec = answer.type === "found" ? answer.object.spec : undefined;
  const { holderIdentity: holder, renewTime, leaseDurationSeconds = 15 } = spec ?? {};
  if (!holder || !renewTime) return { type: "noLease" };
  const isFresh = parseTime(renewTime) + leaseDurationSeconds * 1000 > world.clock.wallMs();
  return isFresh ? { type: "leads", holder } : { type: "expired", holder, renewTime };
}
