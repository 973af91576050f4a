import {
  type CSIDriver,
  CSIDRIVERS,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type Pod,
  type VolumeAttachment,
  VOLUMEATTACHMENTS,
} from "../../api/mod.ts";
import type { InformerFactory, SharedInformer } from "../../cache/mod.ts";
import { createHash } from "node:crypto";

export interface ClaimedVolume {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
}

/** The claims of the pods on simulated nodes, their volumes, and where those are attached. */
export class PodVolumes {
  readonly claims: SharedInformer<PersistentVolumeClaim>;
  readonly attachments: SharedInformer<VolumeAttachment>;
  readonly #volumes: SharedInformer<PersistentVolume>;
  readonly #drivers: SharedInformer<CSIDriver>;

  constructor(informers: InformerFactory) {
    this.claims = informers.informer(PERSISTENTVOLUMECLAIMS);
    this.attachments = informers.informer(VOLUMEATTACHMENTS);
    this.#volumes = informers.informer(PERSISTENTVOLUMES);
    this.#drivers = informers.informer(CSIDRIVERS);
  }

  unbound(pod: Pod): readonly string[] {
    return claimNames(pod).filter((name) => this.#claim(pod, name)?.status?.phase !== "Bound");
  }

  claimed(pod: Pod): readonly ClaimedVolume[] {
    return claimNames(pod).flatMap((name) => {
      const claim = this.#claim(pod, name);
      const volume = this.#volumes.lister.get(undefined, claim?.spec?.volumeName ?? "");
      return claim && volume ? [{ claim, volume }] : [];
    });
  }

  /**
   * The names that the attach-detach controller and kubelets use for the pod's CSI volumes. Upstream: `pkg/volume/util`
   * (GetUniqueVolumeName).
   */
  inUse(pod: Pod): readonly string[] {
    return this.claimed(pod).flatMap(({ volume }) => this.#isAttachable(volume) ? [uniqueName(volume)] : []);
  }

  /**
   * The names of the pod's volumes that its node cannot mount yet, because the node has not reported them as in use or
   * they are not attached. Upstream: VerifyControllerAttachedVolume, and `pkg/volume/csi/csi_attacher.go`
   * (waitForVolumeAttachment).
   */
  unattached(pod: Pod, node: Node | undefined): readonly string[] {
    const { volumesInUse = [], volumesAttached = [] } = node?.status ?? {};
    const isMountable = (volume: PersistentVolume) => {
      const name = uniqueName(volume);
      return volumesInUse.includes(name) && volumesAttached.some((attached) => attached.name === name) &&
        this.attachments.lister.get(undefined, attachmentName(volume, node?.metadata?.name))?.status?.attached;
    };
    return (pod.spec?.volumes ?? []).filter((each) =>
      this.claimed({ ...pod, spec: { containers: [], volumes: [each] } })
        .some(({ volume }) => this.#isAttachable(volume) && !isMountable(volume))
    ).map(({ name }) => name);
  }

  #claim({ metadata }: Pod, name: string): PersistentVolumeClaim | undefined {
    return this.claims.lister.get(metadata?.namespace, name);
  }

  #isAttachable({ spec }: PersistentVolume): boolean {
    return spec?.csi !== undefined &&
      this.#drivers.lister.get(undefined, spec.csi.driver)?.spec.attachRequired !== false;
  }
}

function uniqueName({ spec }: PersistentVolume): string {
  return `kubernetes.io/csi/${spec?.csi?.driver}^${spec?.csi?.volumeHandle}`;
}

/** Upstream: `pkg/volume/csi/csi_attacher.go` (getAttachmentName). */
function attachmentName({ spec }: PersistentVolume, nodeName: string | undefined): string {
  const { driver, volumeHandle } = spec?.csi ?? {};
  return `csi-${createHash("sha256").update(`${volumeHandle}${driver}${nodeName}`).digest("hex")}`;
}

/** The claims of a pod's volumes, including ephemeral ones. */
export function claimNames({ metadata, spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata?.name}-${name}`] : [];
  });
}
