import { defineController } from "../running/mod.ts";
import { NAME } from "./background.ts";
import { buildBinder, CLIENT_NAME } from "./controller.ts";
import { METRICS } from "./metrics.ts";
import { TEMPLATE_FLAGS } from "./options.ts";

const VOLUMES = "PersistentVolumeBinderController.VolumeConfiguration";
const RECYCLER = `${VOLUMES}.PersistentVolumeRecyclerConfiguration`;

/** Binds claims to volumes, and has volumes made and reclaimed. Upstream: `pkg/controller/volume/persistentvolume`. */
export const PERSISTENTVOLUME_BINDER_CONTROLLER = defineController({
  name: NAME,
  aliases: ["persistentvolume-binder"],
  clientName: CLIENT_NAME,
  group: "workloads",
  queues: ["claims", "volumes"],
  metrics: METRICS,
  needs: { files: Object.values(TEMPLATE_FLAGS), folders: true },
  options: {
    syncPeriodMs: {
      flag: "pvclaimbinder-sync-period",
      type: "duration",
      default: "15s",
      help: "How often every volume and claim is looked at again",
      configz: "PersistentVolumeBinderController.PVClaimBinderSyncPeriod",
    },
    provisionsHostPaths: {
      flag: "enable-hostpath-provisioner",
      type: "bool",
      default: false,
      help: "Make volumes of folders of the host; for development",
      configz: `${VOLUMES}.EnableHostPathProvisioning`,
    },
    isProvisioning: {
      flag: "enable-dynamic-provisioning",
      type: "bool",
      default: true,
      help: "Make volumes for claims",
      configz: `${VOLUMES}.EnableDynamicProvisioning`,
    },
    maximumRetry: { fixed: 3, configz: `${RECYCLER}.MaximumRetry` },
    minimumTimeoutNfs: {
      flag: "pv-recycler-minimum-timeout-nfs",
      type: "int32",
      default: 300,
      help: "Seconds that a recycler of an NFS volume gets at least",
      configz: `${RECYCLER}.MinimumTimeoutNFS`,
    },
    podTemplateFilepathNfs: {
      flag: TEMPLATE_FLAGS.nfs,
      type: "string",
      default: "",
      help: "Pod that recycles an NFS volume",
      configz: `${RECYCLER}.PodTemplateFilePathNFS`,
    },
    incrementTimeoutNfs: {
      flag: "pv-recycler-increment-timeout-nfs",
      type: "int32",
      default: 30,
      help: "Seconds that a scrubber of an NFS volume gets for each Gi",
      configz: `${RECYCLER}.IncrementTimeoutNFS`,
    },
    podTemplateFilepathHostpath: {
      flag: TEMPLATE_FLAGS.hostPath,
      type: "string",
      default: "",
      help: "Pod that recycles a host's folder; for development",
      configz: `${RECYCLER}.PodTemplateFilePathHostPath`,
    },
    minimumTimeoutHostpath: {
      flag: "pv-recycler-minimum-timeout-hostpath",
      type: "int32",
      default: 60,
      help: "Seconds that a recycler of a host's folder gets at least; for development",
      configz: `${RECYCLER}.MinimumTimeoutHostPath`,
    },
    timeoutIncrementHostpath: {
      flag: "pv-recycler-timeout-increment-hostpath",
      type: "int32",
      default: 30,
      help: "Seconds that a recycler of a host's folder gets for each Gi; for development",
      configz: `${RECYCLER}.IncrementTimeoutHostPath`,
    },
    flexVolumePluginDir: {
      flag: "flex-volume-plugin-dir",
      type: "string",
      default: "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
      help: "Folder with more volume plugins",
      configz: `${VOLUMES}.FlexVolumePluginDir`,
    },
  },
  build: buildBinder,
});
