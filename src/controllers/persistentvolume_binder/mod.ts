import { defineController } from "../running/mod.ts";
import { NAME } from "./background.ts";
import { buildBinder, CLIENT_NAME } from "./controller.ts";
import { METRICS } from "./metrics.ts";
import { IN_TREE_FINALIZER } from "./names.ts";
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
  finalizers: { [IN_TREE_FINALIZER]: "the storage behind the volume has been deleted" },
  metrics: METRICS,
  needs: { files: Object.values(TEMPLATE_FLAGS), folders: true },
  options: {
    syncPeriodMs: {
      flag: "pvclaimbinder-sync-period",
      type: "duration",
      default: "15s",
      help: "How often to check all volumes and claims again",
      configz: "PersistentVolumeBinderController.PVClaimBinderSyncPeriod",
    },
    provisionsHostPaths: {
      flag: "enable-hostpath-provisioner",
      type: "bool",
      default: false,
      help: "Provision volumes from folders on the host; only for development",
      configz: `${VOLUMES}.EnableHostPathProvisioning`,
    },
    isProvisioning: {
      flag: "enable-dynamic-provisioning",
      type: "bool",
      default: true,
      help: "Provision volumes for claims",
      configz: `${VOLUMES}.EnableDynamicProvisioning`,
    },
    maximumRetry: { fixed: 3, configz: `${RECYCLER}.MaximumRetry` },
    minimumTimeoutNfs: {
      flag: "pv-recycler-minimum-timeout-nfs",
      type: "int32",
      default: 300,
      help: "Time limit in seconds for recycling an NFS volume, before the addition per Gi",
      configz: `${RECYCLER}.MinimumTimeoutNFS`,
    },
    podTemplateFilepathNfs: {
      flag: TEMPLATE_FLAGS.nfs,
      type: "string",
      default: "",
      help: "File with the pod that recycles an NFS volume",
      configz: `${RECYCLER}.PodTemplateFilePathNFS`,
    },
    incrementTimeoutNfs: {
      flag: "pv-recycler-increment-timeout-nfs",
      type: "int32",
      default: 30,
      help: "Additional seconds per Gi for recycling an NFS volume",
      configz: `${RECYCLER}.IncrementTimeoutNFS`,
    },
    podTemplateFilepathHostpath: {
      flag: TEMPLATE_FLAGS.hostPath,
      type: "string",
      default: "",
      help: "File with the pod that recycles a hostPath volume; only for development",
      configz: `${RECYCLER}.PodTemplateFilePathHostPath`,
    },
    minimumTimeoutHostpath: {
      flag: "pv-recycler-minimum-timeout-hostpath",
      type: "int32",
      default: 60,
      help: "Time limit in seconds for recycling a hostPath volume, before the addition per Gi; only for development",
      configz: `${RECYCLER}.MinimumTimeoutHostPath`,
    },
    timeoutIncrementHostpath: {
      flag: "pv-recycler-timeout-increment-hostpath",
      type: "int32",
      default: 30,
      help: "Additional seconds per Gi for recycling a hostPath volume; only for development",
      configz: `${RECYCLER}.IncrementTimeoutHostPath`,
    },
    flexVolumePluginDir: {
      flag: "flex-volume-plugin-dir",
      type: "string",
      default: "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
      help: "Folder with additional volume plugins (FlexVolume)",
      configz: `${VOLUMES}.FlexVolumePluginDir`,
    },
  },
  build: buildBinder,
});
