import { parse } from "@std/yaml";
import { type PersistentVolume, type Pod, Quantity } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";

/** How volumes of one type are recycled. */
export interface Recycler {
  readonly template: Pod;
  readonly minimumSeconds: number;
  readonly secondsPerGi: number;
}

/** The recyclers by the field that holds the source of their volumes. */
export interface RecyclerOptions {
  readonly nfs: Recycler;
  readonly hostPath: Recycler;
}

const SCRUB = 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)" || exit 1';

/**
 * The pod that deletes what is in a volume, but for its volume. Upstream: `pkg/volume`
 * (NewPersistentVolumeRecyclerPodTemplate).
 */
export const OWN_TEMPLATE: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "default", generateName: "pv-recycler-" },
  spec: {
    restartPolicy: "Never",
    volumes: [{ name: "vol" }],
    containers: [{
      name: "pv-recycler",
      image: "registry.k8s.io/build-image/debian-base:bookworm-v1.0.6",
      command: ["/bin/sh"],
      args: ["-c", SCRUB],
      volumeMounts: [{ name: "vol", mountPath: "/scrub" }],
    }],
  },
};

/**
 * A template from a file, in YAML or JSON.
 *
 * @throws {Error} If it is not a pod with a volume; the process must not start with it.
 */
export function recyclerTemplate(text: string, path: string): Pod {
  if (text === "") throw new Error(`file was empty: ${path}`);
  let pod: unknown;
  try {
    pod = parse(text);
  } catch (error) {
    throw new Error(`failed decoding file: ${errorText(error)}`, { cause: error });
  }
  if (!isPod(pod)) throw new Error(`failed decoding file: ${path} holds no Pod of v1`);
  if (!Array.isArray(pod.spec?.volumes) || pod.spec.volumes.length === 0) {
    throw new Error(`pod specification (${path}): does not contain any volume(s)`);
  }
  return pod;
}

function isPod(value: unknown): value is Pod {
  const { apiVersion, kind } = value as Pod ?? {};
  return apiVersion === "v1" && kind === "Pod";
}

const GI = 2n ** 30n;

/** The pod that recycles a volume; `undefined` if there is no way to recycle it. */
export function recyclerPod(volume: PersistentVolume, options: RecyclerOptions): Pod | undefined {
  const { hostPath, nfs, capacity } = volume.spec ?? {};
  const { template, minimumSeconds, secondsPerGi } = hostPath ? options.hostPath : options.nfs;
  const source = hostPath
    ? { hostPath: { path: hostPath.path } }
    : nfs && { nfs: { server: nfs.server, path: nfs.path } };
  if (!source) return undefined;
  const seconds = BigInt(secondsPerGi) * (Quantity.parse(capacity?.storage).roundedUp() / GI);
  const [first, ...others] = template.spec?.volumes ?? [];
  return {
    ...template,
    metadata: { ...template.metadata, name: `recycler-for-${volume.metadata?.name}`, generateName: undefined },
    spec: {
      ...template.spec!,
      activeDeadlineSeconds: Number(seconds > BigInt(minimumSeconds) ? seconds : BigInt(minimumSeconds)),
      volumes: [{ name: first.name, ...source }, ...others],
    },
  };
}
