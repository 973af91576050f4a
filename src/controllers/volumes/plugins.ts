import { sourcesOf, specName, type VolumeSpec } from "./volume_spec.ts";

/** What a plug-in can do, as far as a controller manager is concerned. Upstream: `pkg/volume/plugins.go`. */
export interface VolumePlugin {
  readonly name: string;
  /** Whether it provisions volumes; host paths only with `--enable-hostpath-provisioner`. */
  readonly provisions: boolean;
  readonly deletes: boolean;
  readonly recycles: boolean;
  readonly attaches: boolean;
  readonly expands: boolean;
  readonly takesMountOptions: boolean;
  /** Whether volumes are mounted with an SELinux context; for some that depends on their driver. */
  readonly mountsWithSeLinux: boolean | "by driver";
  /** Whether a volume belongs to this plug-in. */
  supports(spec: VolumeSpec): boolean;
  /** The name that tells its volumes apart, which kubelets compute alike; empty if the volume lacks the data for it. */
  volumeName(spec: VolumeSpec): string;
}

const UNABLE = {
  provisions: false,
  deletes: false,
  recycles: false,
  attaches: false,
  expands: false,
  takesMountOptions: false,
  mountsWithSeLinux: false,
} as const;

export const HOST_PATH_PLUGIN: VolumePlugin = {
  ...UNABLE,
  name: "kubernetes.io/host-path",
  provisions: true,
  deletes: true,
  recycles: true,
  supports: (spec) => Boolean(sourcesOf(spec).hostPath),
  volumeName: (spec) => sourcesOf(spec).hostPath?.path ?? "",
};

export const NFS_PLUGIN: VolumePlugin = {
  ...UNABLE,
  name: "kubernetes.io/nfs",
  recycles: true,
  takesMountOptions: true,
  supports: (spec) => Boolean(sourcesOf(spec).nfs),
  volumeName: (spec) => {
    const { nfs } = sourcesOf(spec);
    return nfs ? `${nfs.server}/${nfs.path}` : "";
  },
};

/** Fibre Channel. */
export const FC_PLUGIN: VolumePlugin = {
  ...UNABLE,
  name: "kubernetes.io/fc",
  attaches: true,
  takesMountOptions: true,
  mountsWithSeLinux: true,
  supports: (spec) => Boolean(sourcesOf(spec).fc),
  volumeName: (spec) => {
    const { targetWWNs, wwids, lun } = sourcesOf(spec).fc ?? {};
    if (targetWWNs?.length && lun !== undefined) return `[${targetWWNs.join(" ")}]:${lun}`;
    return wwids?.length ? `[${wwids.join(" ")}]` : "";
  },
};

export const ISCSI_PLUGIN: VolumePlugin = {
  ...UNABLE,
  name: "kubernetes.io/iscsi",
  attaches: true,
  takesMountOptions: true,
  mountsWithSeLinux: true,
  supports: (spec) => Boolean(sourcesOf(spec).iscsi),
  volumeName: (spec) => {
    const { iscsi } = sourcesOf(spec);
    return iscsi ? `${iscsi.targetPortal}:${iscsi.iqn}:${iscsi.lun}` : "";
  },
};

export const CSI_PLUGIN: VolumePlugin = {
  ...UNABLE,
  name: "kubernetes.io/csi",
  attaches: true,
  takesMountOptions: true,
  mountsWithSeLinux: "by driver",
  supports: (spec) => Boolean(sourcesOf(spec).csi),
  volumeName: (spec) => {
    const csi = spec.from === "volume" && spec.persistentVolume.spec?.csi;
    return csi ? `${csi.driver}^${csi.volumeHandle}` : "";
  },
};

/**
 * That of a FlexVolume driver. Its volumes are called as objects are: upstream asks the driver (`getvolumename`), and
 * does not use the answer.
 */
export function flexVolumePlugin(
  { name, attaches }: { readonly name: string; readonly attaches: boolean },
): VolumePlugin {
  return {
    ...UNABLE,
    name,
    attaches,
    expands: true,
    supports: (spec) => sourcesOf(spec).flexVolume?.driver === name,
    volumeName: specName,
  };
}
