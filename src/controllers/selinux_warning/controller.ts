import { CSIDRIVERS, PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES, PODS, splitKey } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { CLAIM_FIELDS_OF_PODS, indexPodsByClaim } from "../pod_volumes/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import { MIGRATED_SOURCES } from "../volumes/mod.ts";
import type { HandlerContext, WarningContext } from "./context.ts";
import { claimHandler, DRIVER_ITEM, driverHandler, POD_ITEM, podHandler, volumeHandler } from "./handlers.ts";
import { READ_OF_CONTAINERS } from "./mounts.ts";
import { syncDriver, syncPod } from "./sync.ts";
import { VolumeLabels } from "./volume_labels.ts";

export const NAME = "selinux-warning-controller";
/** The component in its events, and the name of its queue. */
export const COMPONENT = "selinux_warning";
export const CONFLICTS = "selinux_warning_controller_selinux_volume_conflict";

const SOURCES = ["hostPath", "nfs", "fc", "iscsi", "csi.driver", ...MIGRATED_SOURCES];
const READ_OF_PODS = [
  ...CLAIM_FIELDS_OF_PODS,
  "spec.volumes.persistentVolumeClaim.readOnly",
  ...SOURCES.map((source) => `spec.volumes.${source}`),
  ...READ_OF_CONTAINERS,
  "status.phase",
];

export function buildSeLinuxWarning(context: ControllerContext): Controller {
  const { world, metrics, informers, journal } = context;
  const pods = informers.informer(PODS, READ_OF_PODS);
  const claims = informers.informer(PERSISTENTVOLUMECLAIMS, ["spec.volumeName", "status.phase"]);
  const volumes = informers.informer(PERSISTENTVOLUMES, ["spec"]);
  const drivers = informers.informer(CSIDRIVERS, ["spec.seLinuxMount"]);
  indexPodsByClaim(pods);

  const labels = new VolumeLabels();
  const gauge = metrics.gauge({
    name: CONFLICTS,
    help: "Conflict between two Pods using the same volume",
    labels: ["property", "pod1_namespace", "pod1_name", "pod1_value", "pod2_namespace", "pod2_name", "pod2_value"],
  });
  gauge.trackListed(() =>
    labels.conflicts().map(({ property, pod, value, otherPod, otherValue }) => {
      const [one, other] = [splitKey(pod), splitKey(otherPod)];
      return [property, one.namespace ?? "", one.name, value, other.namespace ?? "", other.name, otherValue];
    })
  );
  const queue = new WorkQueue({ world, name: COMPONENT, metrics });
  const handling: HandlerContext = { queue, pods: pods.indexer };
  const working: WarningContext = {
    world,
    recorder: context.recorder(COMPONENT, NAME),
    queue,
    pods: pods.lister,
    claims: claims.lister,
    volumes: volumes.lister,
    drivers: drivers.lister,
    labels,
  };
  const caches = [
    pods.addEventHandler(podHandler(handling)),
    claims.addEventHandler(claimHandler(handling)),
    volumes.addEventHandler(volumeHandler(handling)),
    drivers.addEventHandler(driverHandler(handling)),
  ];
  return queueController({
    name: NAME,
    world,
    journal,
    queue,
    caches,
    workers: 1,
    sync: (item, { causes }) =>
      item.startsWith(DRIVER_ITEM)
        ? syncDriver(item.slice(DRIVER_ITEM.length), working, causes)
        : syncPod(item.slice(POD_ITEM.length), working),
  });
}
