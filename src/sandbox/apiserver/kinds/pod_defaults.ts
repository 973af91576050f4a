import type { Container, EnvVar, Pod, PodSpec, Probe, Volume } from "../../../api/mod.ts";

/** What an image without a pull policy gets: images that may change are pulled every time. */
function pullPolicyOf(image: string): string {
  const name = image.split("@");
  const tag = /:([^/:]*)$/.exec(name[0])?.[1];
  return name.length === 1 && (tag === undefined || tag === "latest") ? "Always" : "IfNotPresent";
}

function defaultProbe(probe: Probe | undefined): void {
  if (!probe) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  defaultHttpGet(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= "";
}

function defaultHttpGet(action: { path?: string; scheme?: string } | undefined): void {
  if (!action) return;
  action.path ||= "/";
  action.scheme ||= "HTTP";
}

function defaultEnv(env: readonly EnvVar[] | undefined): void {
  for (const { valueFrom } of env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= "v1";
    if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
  }
}

function defaultContainer(container: Container): void {
  container.resources ??= {};
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  container.imagePullPolicy ||= pullPolicyOf(container.image ?? "");
  for (const port of container.ports ?? []) port.protocol ||= "TCP";
  defaultEnv(container.env);
  defaultProbe(container.livenessProbe);
  defaultProbe(container.readinessProbe);
  defaultProbe(container.startupProbe);
  defaultHttpGet(container.lifecycle?.postStart?.httpGet);
  defaultHttpGet(container.lifecycle?.preStop?.httpGet);
}

type DownwardItems = ReadonlyArray<{ fieldRef?: { apiVersion?: string } }>;

function defaultFieldRefs(items: DownwardItems | undefined): void {
  for (const { fieldRef } of items ?? []) if (fieldRef) fieldRef.apiVersion ||= "v1";
}

function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).every((key) => key === "name")) volume.emptyDir = {};
  if (volume.secret) volume.secret.defaultMode ??= 420;
  if (volume.configMap) volume.configMap.defaultMode ??= 420;
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= 420;
    defaultFieldRefs(volume.downwardAPI.items);
  }
  if (volume.projected) {
    volume.projected.defaultMode ??= 420;
    for (const { serviceAccountToken, downwardAPI } of volume.projected.sources ?? []) {
      if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= 3600;
      defaultFieldRefs(downwardAPI?.items);
    }
  }
  if (volume.hostPath) volume.hostPath.type ??= "";
  if (volume.ephemeral?.volumeClaimTemplate) volume.ephemeral.volumeClaimTemplate.spec.volumeMode ??= "Filesystem";
  if (volume.image) volume.image.pullPolicy ||= pullPolicyOf(volume.image.reference ?? "");
  defaultNetworkVolume(volume);
}

/** Sources that only few clusters still use. */
function defaultNetworkVolume({ iscsi, rbd, azureDisk, scaleIO }: Volume): void {
  if (iscsi) iscsi.iscsiInterface ||= "default";
  if (rbd) {
    rbd.pool ||= "rbd";
    rbd.user ||= "admin";
    rbd.keyring ||= "/etc/ceph/keyring";
  }
  if (azureDisk) {
    azureDisk.cachingMode ??= "ReadWrite";
    azureDisk.kind ??= "Shared";
    azureDisk.fsType ??= "ext4";
    azureDisk.readOnly ??= false;
  }
  if (scaleIO) {
    scaleIO.storageMode ||= "ThinProvisioned";
    scaleIO.fsType ||= "xfs";
  }
}

/**
 * Defaults of a pod's spec, in pods and templates alike. Upstream: `pkg/apis/core/v1/defaults.go`.
 *
 * @example
 * ```ts
 * import { defaultPodSpec } from "./pod_defaults.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const spec = { containers: [{ name: "c", image: "nginx" }] };
 * defaultPodSpec(spec);
 * assertEquals(spec.containers[0], {
 *   name: "c",
 *   image: "nginx",
 *   resources: {},
 *   terminationMessagePath: "/dev/termination-log",
 *   terminationMessagePolicy: "File",
 *   imagePullPolicy: "Always",
 * });
 * ```
 */
export function defaultPodSpec(spec: PodSpec): void {
  spec.restartPolicy ||= "Always";
  spec.terminationGracePeriodSeconds ??= 30;
  spec.dnsPolicy ||= "ClusterFirst";
  spec.securityContext ??= {};
  spec.schedulerName ||= "default-scheduler";
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
  else if (spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount;
  for (const container of containersOf(spec)) defaultContainer(container);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
}

/** All containers of a pod: init, regular and ephemeral ones. */
function containersOf(spec: PodSpec): Container[] {
  return [...spec.initContainers ?? [], ...spec.containers ?? [], ...spec.ephemeralContainers ?? []];
}

/** Defaults that pods get and templates do not. */
export function defaultPod({ spec }: Pod): void {
  if (!spec) return;
  defaultPodSpec(spec);
  spec.enableServiceLinks ??= true;
  for (const container of [...spec.initContainers ?? [], ...spec.containers ?? []]) {
    const { limits } = container.resources ?? {};
    if (limits) {
      container.resources = { ...container.resources, requests: { ...limits, ...container.resources?.requests } };
    }
    if (!spec.hostNetwork) continue;
    for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
  }
}
