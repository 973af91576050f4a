import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type Pod,
} from "../../api/mod.ts";
import type { InformerFactory, SharedInformer } from "../../cache/mod.ts";

/** The claims of the pods on simulated nodes, and the volumes behind them. */
export class PodVolumes {
  readonly claims: SharedInformer<PersistentVolumeClaim>;
  readonly #volumes: SharedInformer<PersistentVolume>;

  constructor(informers: InformerFactory) {
    this.claims = informers.informer(PERSISTENTVOLUMECLAIMS);
    this.#volumes = informers.informer(PERSISTENTVOLUMES);
  }

  /** Names of the claims that the pod uses and that are not bound. */
  unbound(pod: Pod): readonly string[] {
    return claimNames(pod).filter((name) => this.#claim(pod, name)?.status?.phase !== "Bound");
  }

  /** How the attach-detach controller and kubelets call the pod's CSI volumes. Upstream: `pkg/volume/util` (GetUniqueVolumeName). */
  inUse(pod: Pod): readonly string[] {
    return claimNames(pod).flatMap((name) => {
      const volume = this.#claim(pod, name)?.spec?.volumeName;
      const csi = volume ? this.#volumes.lister.get(undefined, volume)?.spec?.csi : undefined;
      return csi ? [`kubernetes.io/csi/${csi.driver}^${csi.volumeHandle}`] : [];
    });
  }

  #claim({ metadata }: Pod, name: string): PersistentVolumeClaim | undefined {
    return this.claims.lister.get(metadata?.namespace, name);
  }
}

/** The claims that a pod's volumes name, those made for it alone included. */
export function claimNames({ metadata, spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata?.name}-${name}`] : [];
  });
}
