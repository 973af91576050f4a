import type { Container, EphemeralContainer, Pod, Volume } from "../../api/mod.ts";

/** What {@link secretsOf} reads of a pod. */
export const READ_OF_PODS: readonly string[] = [
  "spec.imagePullSecrets",
  "spec.volumes",
  ...["containers", "initContainers", "ephemeralContainers"].flatMap((containers) => [
    `spec.${containers}.env.valueFrom.secretKeyRef.name`,
    `spec.${containers}.envFrom.secretRef.name`,
  ]),
];

/** The names of all Secrets that a pod mentions. Upstream: `pkg/api/v1/pod` (VisitPodSecretNames). */
export function secretsOf({ spec }: Pod): string[] {
  if (!spec) return [];
  const { imagePullSecrets, initContainers, containers, ephemeralContainers, volumes } = spec;
  const all = [...initContainers ?? [], ...containers ?? [], ...ephemeralContainers ?? []];
  const names = [
    ...(imagePullSecrets ?? []).map(({ name }) => name),
    ...all.flatMap(inContainer),
    ...(volumes ?? []).flatMap(inVolume),
  ];
  return names.filter((name): name is string => name !== undefined && name !== "");
}

type Name = string | undefined;

function inContainer({ env, envFrom }: Container | EphemeralContainer): Name[] {
  return [
    ...(envFrom ?? []).map(({ secretRef }) => secretRef?.name),
    ...(env ?? []).map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
  ];
}

function inVolume(volume: Volume): Name[] {
  const { azureFile, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, csi, secret, projected } = volume;
  return [
    azureFile?.secretName,
    ...[cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos].map((source) => source?.secretRef?.name),
    csi?.nodePublishSecretRef?.name,
    secret?.secretName,
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
  ];
}
