import {
  apiVersionOf,
  DEVICECLASSES,
  PODS,
  type Resource,
  RESOURCECLAIMS,
  resourceKey,
  RESOURCEQUOTAS,
} from "../../api/mod.ts";
import { type InformerSource, informerSource } from "../monitors/mod.ts";
import { type Controller, type ControllerContext } from "../running/mod.ts";
import { cachedDevices } from "./cached_devices.ts";
import type { ListedInformer } from "./evaluators.ts";
import { fieldsMeasured, MEASURED_RESOURCES, measuredAs } from "./measured.ts";
import { NAME, QuotaController, type QuotaControllerOptions } from "./quota_controller.ts";

export async function buildQuotaController(
  context: ControllerContext,
  { workers, syncPeriodMs }: Pick<QuotaControllerOptions, "workers" | "syncPeriodMs">,
): Promise<Controller> {
  const { world, metrics, informers, discovery, informersStarted, journal } = context;
  const isServed = await discoverServed(context);
  for (const resource of MEASURED_RESOURCES.filter(isServed)) informers.informer(resource, fieldsMeasured(resource));
  const hasDevices = isServed(DEVICECLASSES) && isServed(RESOURCECLAIMS);
  const classes = hasDevices ? informers.informer(DEVICECLASSES, ["spec.extendedResourceName"]) : undefined;
  return new QuotaController({
    world,
    journal,
    metrics,
    client: context.clients.client(NAME),
    discovery,
    informers: quotaInformers(context),
    informersStarted,
    quotas: informers.informer(RESOURCEQUOTAS),
    devices: classes && {
      known: cachedDevices({
        classes,
        claims: informers.informer(RESOURCECLAIMS, fieldsMeasured(RESOURCECLAIMS)),
        pods: informers.informer(PODS, fieldsMeasured(PODS)),
      }),
      cache: classes,
    },
    workers,
    syncPeriodMs,
  });
}

/**
 * Resources that are measured by more than metadata must be requested in full before informers start.
 *
 * @throws {Error} If discovery returns nothing at all.
 */
async function discoverServed({ discovery, world }: ControllerContext): Promise<(resource: Resource) => boolean> {
  const { resources, failures } = await discovery.preferredResources();
  if (failures.size > 0) {
    world.log.error("Initial discovery check failure, continuing and counting on future sync update", {
      groups: [...failures.keys()].sort(),
    });
  }
  if (resources.length === 0) {
    throw new Error("failed to discover resources: discovery lists none; without them no quota can be measured");
  }
  const served = new Set(resources.map(resourceKey));
  // Of a failed group version, only its existence is known.
  return (resource) => served.has(resourceKey(resource)) || failures.has(apiVersionOf(resource));
}

/**
 * Informers with the measured fields of measured resources, even if they are served later; for others, whatever exists.
 */
function quotaInformers(context: ControllerContext): InformerSource<ListedInformer> {
  const { informers, metadataInformers } = context;
  const source = informerSource<ListedInformer>(context);
  return {
    ...source,
    informer(resource) {
      const measured = measuredAs(resource);
      if (!measured || resourceKey(measured) !== resourceKey(resource)) return source.informer(resource);
      return informers.informer(measured, fieldsMeasured(measured));
    },
    start(signal) {
      informers.start(signal);
      metadataInformers.start(signal);
    },
  };
}
