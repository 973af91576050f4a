import { errorText } from "../../base/mod.ts";
import { type MigratedSource, translateInline, translateVolume } from "./translation.ts";
import { sourcesOf, type VolumeSpec } from "./volume_spec.ts";

/** A volume type that was once part of Kubernetes and is now served by a CSI driver. */
export interface MigratedPlugin {
  readonly plugin: string;
  readonly source: MigratedSource;
  readonly driver: string;
}

/** Upstream: `k8s.io/csi-translation-lib`. Migration of all of them has been completed. */
const MIGRATED_PLUGINS: readonly MigratedPlugin[] = [
  { plugin: "kubernetes.io/aws-ebs", source: "awsElasticBlockStore", driver: "ebs.csi.aws.com" },
  { plugin: "kubernetes.io/gce-pd", source: "gcePersistentDisk", driver: "pd.csi.storage.gke.io" },
  { plugin: "kubernetes.io/cinder", source: "cinder", driver: "cinder.csi.openstack.org" },
  { plugin: "kubernetes.io/azure-disk", source: "azureDisk", driver: "disk.csi.azure.com" },
  { plugin: "kubernetes.io/azure-file", source: "azureFile", driver: "file.csi.azure.com" },
  { plugin: "kubernetes.io/vsphere-volume", source: "vsphereVolume", driver: "csi.vsphere.vmware.com" },
  { plugin: "kubernetes.io/portworx-volume", source: "portworxVolume", driver: "pxd.portworx.com" },
];

/** The fields of a volume that hold the source of a migrated type. */
export const MIGRATED_SOURCES: readonly MigratedSource[] = MIGRATED_PLUGINS.map(({ source }) => source);

/** The driver that replaced a plug-in; `undefined` if none did. */
export function migratedDriverOf(name: string): string | undefined {
  return MIGRATED_PLUGINS.find(({ plugin }) => plugin === name)?.driver;
}

/** The migrated in-tree plug-in of a volume, if it has one. */
export function migratedPluginOf(spec: VolumeSpec): MigratedPlugin | undefined {
  const sources = sourcesOf(spec);
  return MIGRATED_PLUGINS.find(({ source }) => sources[source]);
}

/**
 * The volume as its CSI driver knows it; a volume that was not migrated stays as it is.
 * Upstream: `pkg/volume/csimigration` (TranslateInTreeSpecToCSI).
 *
 * @param podNamespace The namespace of the pod that describes it, or names its claim.
 * @throws {Error} If the volume lacks what the driver needs.
 */
export function translateToCsi(spec: VolumeSpec, podNamespace: string): VolumeSpec {
  const source = migratedPluginOf(spec)?.source;
  if (!source) return spec;
  try {
    if (spec.from === "volume") {
      return { ...spec, persistentVolume: translateVolume(spec.persistentVolume, source), migrated: "volume" };
    }
    const persistentVolume = translateInline(spec.volume, source, podNamespace);
    return { from: "volume", persistentVolume, readOnly: false, migrated: "inline" };
  } catch (error) {
    throw new Error(`failed to translate in-tree pv to CSI: ${errorText(error)}`, { cause: error });
  }
}
