import type { CSIPersistentVolumeSource, PersistentVolume, PersistentVolumeSpec } from "../../api/mod.ts";
import { compact, ebsHandle, gceHandle, storageAccount } from "./handles.ts";
import type { PodVolume } from "../pod_volumes/mod.ts";

const RWO = ["ReadWriteOnce"];

/** A volume as its driver knows it. */
interface Translated {
  readonly csi: CSIPersistentVolumeSource;
  readonly accessModes?: string[];
}

/** A pod's volume, and the name that a PersistentVolume of it would have. */
interface TranslatedInline extends Translated {
  readonly name: string;
  readonly accessModes: string[];
}

/** How the volumes of one in-tree type are translated. */
interface Translation<K extends keyof PodVolume & keyof PersistentVolumeSpec> {
  volume(source: NonNullable<PersistentVolumeSpec[K]>, volume: PersistentVolume): Translated;
  inline(source: NonNullable<PodVolume[K]>, volume: PodVolume, podNamespace: string): TranslatedInline;
}

/** A disk that a driver knows by an ID, and the name that a pod's volume gets from it. */
function disk(
  csi: Omit<CSIPersistentVolumeSource, "volumeHandle"> & { volumeHandle: string },
  { id = csi.volumeHandle, accessModes = RWO }: { readonly id?: string; readonly accessModes?: string[] } = {},
): TranslatedInline {
  return { csi: compact(csi), name: `${csi.driver}-${id}`, accessModes };
}

const justCsi = ({ csi }: Translated): Translated => ({ csi });

const AWS_EBS: Translation<"awsElasticBlockStore"> = {
  volume: (source) => justCsi(AWS_EBS.inline(source, { name: "" }, "")),
  inline: ({ volumeID, partition = 0, readOnly, fsType }) =>
    disk({
      driver: "ebs.csi.aws.com",
      volumeHandle: ebsHandle(volumeID),
      readOnly,
      fsType,
      volumeAttributes: { partition: String(partition) },
    }),
};

const GCE_PD: Translation<"gcePersistentDisk"> = {
  volume: (source, { metadata, spec }) => ({
    csi: { ...GCE_PD.inline(source, { name: "" }, "").csi, volumeHandle: gceHandle(source.pdName, metadata?.labels) },
    accessModes: spec?.accessModes && gceModes(spec.accessModes),
  }),
  inline: ({ pdName, partition, readOnly, fsType }) =>
    disk({
      driver: "pd.csi.storage.gke.io",
      volumeHandle: gceHandle(pdName, undefined),
      readOnly,
      fsType,
      volumeAttributes: { partition: partition ? String(partition) : "" },
    }, { id: pdName, accessModes: readOnly ? ["ReadOnlyMany"] : RWO }),
};

/** The driver supports one mode only; volumes that listed several were never shared by writers. */
function gceModes(modes: readonly string[]): string[] {
  const isWritten = modes.includes("ReadWriteMany") || modes.includes("ReadWriteOnce");
  return !isWritten && modes.includes("ReadOnlyMany") ? ["ReadOnlyMany"] : RWO;
}

const CINDER: Translation<"cinder"> = {
  volume: (source) => justCsi(CINDER.inline({ ...source, secretRef: undefined }, { name: "" }, "")),
  inline: ({ volumeID, readOnly, fsType }) =>
    disk({ driver: "cinder.csi.openstack.org", volumeHandle: volumeID, readOnly, fsType }),
};

const AZURE_DISK: Translation<"azureDisk"> = {
  volume: (source) => justCsi(AZURE_DISK.inline(source, { name: "" }, "")),
  inline: ({ diskURI, kind, cachingMode, fsType, readOnly }) => {
    if (kind !== undefined && kind.toLowerCase() !== "managed") {
      throw new Error(`kind(${kind}) is not supported in csi migration`);
    }
    const csi = compact({
      driver: "disk.csi.azure.com",
      volumeHandle: diskURI,
      readOnly,
      fsType,
      volumeAttributes: {
        kind: "Managed",
        ...cachingMode && { cachingmode: cachingMode },
        ...fsType !== undefined && { fstype: fsType },
      },
    });
    return { csi, name: diskURI, accessModes: RWO };
  },
};

const AZURE_FILE: Translation<"azureFile"> = {
  volume: ({ secretName, shareName, readOnly, secretNamespace }, { metadata, spec }) => {
    const namespace = secretNamespace ?? spec?.claimRef?.namespace;
    if (!namespace) throw new Error("could not find a secret namespace in PersistentVolumeSource or ClaimRef");
    const group = metadata?.annotations?.["kubernetes.io/azure-file-resource-group"] ?? "";
    return {
      csi: azureShare({ group, name: metadata?.name ?? "", secretName, shareName, readOnly, namespace }),
    };
  },
  inline: ({ secretName, shareName, readOnly }, { name }, podNamespace) => {
    const namespace = podNamespace || "default";
    const csi = azureShare({ group: "", name, secretName, shareName, readOnly, namespace });
    return { csi, name: csi.volumeHandle, accessModes: ["ReadWriteMany"] };
  },
};

function azureShare(
  { group, name, secretName, shareName, readOnly, namespace }: {
    readonly group: string;
    readonly name: string;
    readonly secretName: string;
    readonly shareName: string;
    readonly readOnly: boolean | undefined;
    readonly namespace: string;
  },
): CSIPersistentVolumeSource {
  return compact({
    driver: "file.csi.azure.com",
    volumeHandle: [group, storageAccount(secretName), shareName, name, namespace].join("#"),
    readOnly,
    volumeAttributes: { sharename: shareName },
    nodeStageSecretRef: { name: secretName, namespace },
  });
}

const VSPHERE: Translation<"vsphereVolume"> = {
  volume: (source) => justCsi(VSPHERE.inline(source, { name: "" }, "")),
  inline: ({ volumePath, fsType, storagePolicyName }) =>
    disk({
      driver: "csi.vsphere.vmware.com",
      volumeHandle: volumePath,
      fsType,
      ...storagePolicyName && { volumeAttributes: { storagepolicyname: storagePolicyName } },
    }),
};

const PORTWORX: Translation<"portworxVolume"> = {
  volume: (source, { metadata }) => {
    const {
      ["openstorage.io/auth-secret-name"]: name,
      ["openstorage.io/auth-secret-namespace"]: namespace,
    } = metadata?.annotations ?? {};
    const secret = { name, namespace };
    const hasSecret = name !== undefined && namespace !== undefined;
    return {
      csi: {
        ...PORTWORX.inline(source, { name: "" }, "").csi,
        ...hasSecret && {
          controllerPublishSecretRef: secret,
          nodeStageSecretRef: secret,
          nodePublishSecretRef: secret,
          controllerExpandSecretRef: secret,
          nodeExpandSecretRef: secret,
        },
      },
    };
  },
  inline: ({ volumeID, fsType, readOnly }) =>
    disk(
      { driver: "pxd.portworx.com", volumeHandle: volumeID, fsType },
      { accessModes: readOnly ? ["ReadOnlyMany"] : RWO },
    ),
};

const TRANSLATIONS = {
  awsElasticBlockStore: AWS_EBS,
  gcePersistentDisk: GCE_PD,
  cinder: CINDER,
  azureDisk: AZURE_DISK,
  azureFile: AZURE_FILE,
  vsphereVolume: VSPHERE,
  portworxVolume: PORTWORX,
};

/** The volume types that can be translated. */
export type MigratedSource = keyof typeof TRANSLATIONS;

// The table is written per type but read by a name known only at run time: the entry found always fits.
// deno-lint-ignore no-explicit-any
const translationOf = (source: MigratedSource): Translation<any> => TRANSLATIONS[source];

/** @throws {Error} If the volume lacks what its driver needs. */
export function translateVolume(volume: PersistentVolume, source: MigratedSource): PersistentVolume {
  const { csi, accessModes } = translationOf(source).volume(volume.spec?.[source], volume);
  const { [source]: _, ...spec } = volume.spec ?? {};
  return { ...volume, spec: { ...spec, csi, ...accessModes && { accessModes } } };
}

/**
 * The PersistentVolume equivalent of a pod's volume; no object of that name exists.
 *
 * @throws {Error} If the volume lacks what its driver needs.
 */
export function translateInline(volume: PodVolume, source: MigratedSource, podNamespace: string): PersistentVolume {
  const { name, csi, accessModes } = translationOf(source).inline(volume[source], volume, podNamespace);
  return { metadata: { name }, spec: { csi, accessModes, volumeMode: "Filesystem" } };
}
