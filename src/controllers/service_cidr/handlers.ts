import { type IPAddress, objectKey, type ServiceCIDR } from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import { cause, type Change, parentHandler } from "../running/mod.ts";
import type { CidrContext } from "./context.ts";
import { allocated, containing, overlapping } from "./ranges.ts";

type HandlerContext = Pick<CidrContext, "cidrs" | "queue">;

/** A change of a ServiceCIDR queues it; a new one also queues those it overlaps, whose deletion may now proceed. */
export function cidrHandler(context: HandlerContext): EventHandler<ServiceCIDR> {
  const { queue } = context;
  const handler = parentHandler<ServiceCIDR>({ kind: "servicecidr", queue });
  return {
    ...handler,
    onAdd: (cidr, isInitial) => {
      handler.onAdd?.(cidr, isInitial);
      const why = cause("servicecidr", cidr, "added");
      for (const name of overlapping(cidr, context)) queue.add(name, why);
    },
  };
}

/** An allocated or released address queues the ServiceCIDRs that contain it. */
export function addressHandler(context: HandlerContext): EventHandler<IPAddress> {
  const enqueue = (object: IPAddress, what: Change) => {
    const address = allocated(object);
    if (!address) return;
    const why = cause("ipaddress", what === "deleted" ? objectKey(object) : object, what);
    for (const name of containing(address, context)) context.queue.add(name, why);
  };
  return {
    onAdd: (object) => enqueue(object, "added"),
    onDelete: (deleted) => {
      const object = finalStateOf(deleted);
      if (object) enqueue(object, "deleted");
    },
  };
}
