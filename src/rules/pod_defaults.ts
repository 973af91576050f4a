import {
  type Container,
  type EnvVar,
  type PodSpec,
  type Probe,
  Quantity,
  type QuantityValue,
  type Volume,
} from "../api/mod.ts";

const COMPONENT = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const HOST = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const ALGORITHM = "[A-Za-z][A-Za-z0-9]*(?:[+._-][A-Za-z][A-Za-z0-9]*)*";
/** Upstream: `github.com/distribution/reference`. */
const IMAGE = new RegExp(
  `^(?:${HOST}(?:\\.${HOST})*(?::[0-9]+)?/)?${COMPONENT}(?:/${COMPONENT})*(?::(\\w[\\w.-]{0,127}))?(@${ALGORITHM}:[0-9a-fA-F]{32,})?$`,
);

/** The default pull policy of an image: a tag that may change is pulled every time. */
function pullPolicyOf(image: string): string {
  const parts = IMAGE.exec(image);
  if (!parts || /^[0-9a-f]{64}$/.test(image)) return "IfNotPresent";
  const [, tag, digest] = parts;
  return tag === "latest" || (tag === undefined && digest === undefined) ? "Always" : "IfNotPresent";
}

/** Rounds amounts up to thousandths, the finest that the API keeps. Upstream: SetDefaults_ResourceList. */
export function roundAmounts(amounts: Record<string, QuantityValue> | undefined): void {
  for (const name in amounts) {
    const amount = amounts[name];
    if (typeof amount !== "string" || !/[nu]$/.test(amount)) continue;
    amounts[name] = Quantity.parse(amount).roundUp(-3).toString();
  }
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
  roundAmounts(container.resources.limits);
  roundAmounts(container.resources.requests);
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  container.imagePullPolicy ||= pullPolicyOf(container.image ?? "");
  for (const port of container.ports ?? []) port.protocol ||= "TCP";
  if (container.securityContext?.procMount === "") delete container.securityContext.procMount;
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

function hasSource(volume: Volume): boolean {
  for (const key in volume) if (key !== "name" && volume[key as keyof Volume] !== undefined) return true;
  return false;
}

function defaultVolume(volume: Volume): void {
  if (!hasSource(volume)) volume.emptyDir = {};
  if (volume.secret) volume.secret.defaultMode ??= 420;
  if (volume.configMap) volume.configMap.defaultMode ??= 420;
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= 420;
    defaultFieldRefs(volume.downwardAPI.items);
  }
  if (volume.projected) defaultProjected(volume.projected);
  if (volume.hostPath) volume.hostPath.type ??= "";
  if (volume.ephemeral?.volumeClaimTemplate) {
    const { spec } = volume.ephemeral.volumeClaimTemplate;
    spec.volumeMode ??= "Filesystem";
    roundAmounts(spec.resources?.limits);
    roundAmounts(spec.resources?.requests);
  }
  if (volume.image) volume.image.pullPolicy ||= pullPolicyOf(volume.image.reference ?? "");
  defaultNetworkVolume(volume);
}

function defaultProjected(projected: NonNullable<Volume["projected"]>): void {
  projected.defaultMode ??= 420;
  for (const source of projected.sources ?? []) {
    if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3600;
    defaultFieldRefs(source.downwardAPI?.items);
  }
}

/** Defaults of volume sources that few clusters still use. */
export function defaultNetworkVolume(
  { iscsi, rbd, azureDisk, scaleIO }: Pick<Volume, "iscsi" | "rbd" | "azureDisk" | "scaleIO">,
): void {
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
 * import { defaultPodSpec } from "kubeloop/rules";
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
  roundAmounts(spec.overhead);
  roundAmounts(spec.resources?.limits);
  roundAmounts(spec.resources?.requests);
  for (const container of spec.initContainers ?? []) defaultContainer(container);
  for (const container of spec.containers ?? []) defaultContainer(container);
  for (const container of spec.ephemeralContainers ?? []) defaultContainer(container);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
}
