import { type Pod, randomSuffix, type ServiceAccount, type Volume, type VolumeMount } from "../../../api/mod.ts";
import { sleep } from "../../../base/mod.ts";
import { forbidden } from "../errors.ts";
import type { Operation } from "../operation.ts";

const MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
const MIRROR = "kubernetes.io/config.mirror";
const ATTEMPTS = 10;
const RETRY_MS = 100;

function accountOf({ state: { store }, namespace }: Operation, { spec }: Pod): ServiceAccount | undefined {
  return store.get("serviceaccounts", `${namespace}/${spec?.serviceAccountName || "default"}`) as
    | ServiceAccount
    | undefined;
}

/** A new namespace gets its default account a moment later: a pod may wait for it. */
export async function awaitDefaultAccount(operation: Operation, pod: Pod): Promise<void> {
  const { clock, random } = operation.state.world;
  if (pod.metadata?.annotations?.[MIRROR] || (pod.spec?.serviceAccountName ?? "default") !== "default") return;
  for (let attempt = 0; attempt < ATTEMPTS && !accountOf(operation, pod); attempt++) {
    // Nobody waits for an account in a namespace that does not exist.
    if (!operation.state.store.get("namespaces", operation.namespace)) return;
    await sleep(clock, RETRY_MS * (1 + random.float()));
  }
}

/** Gives a pod its service account and that account's token. Upstream: `plugin/pkg/admission/serviceaccount`. */
export function addServiceAccount(operation: Operation, pod: Pod): void {
  const { spec } = pod;
  if (!spec || pod.metadata?.annotations?.[MIRROR]) return;
  const name = spec.serviceAccountName ||= "default";
  spec.serviceAccount = name;
  const account = accountOf(operation, pod);
  if (!account) {
    const key = `${operation.namespace}/${name}`;
    const why = `error looking up service account ${key}: serviceaccount "${name}" not found`;
    throw forbidden(operation.served, pod.metadata?.name ?? pod.metadata?.generateName ?? "", why);
  }
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(operation, pod);
  if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length) {
    spec.imagePullSecrets = account.imagePullSecrets.map((secret) => ({ ...secret }));
  }
}

function mountToken({ state }: Operation, { spec }: Pod): void {
  if (!spec) return;
  const volumeName = `kube-api-access-${randomSuffix(state.world.random, 5)}`;
  const mount: VolumeMount = { name: volumeName, readOnly: true, mountPath: MOUNT_PATH };
  let mounted = false;
  for (const container of [...spec.initContainers ?? [], ...spec.containers ?? []]) {
    if (container.volumeMounts?.some(({ mountPath }) => mountPath === MOUNT_PATH)) continue;
    container.volumeMounts = [...container.volumeMounts ?? [], { ...mount }];
    mounted = true;
  }
  if (mounted) spec.volumes = [...spec.volumes ?? [], tokenVolume(volumeName)];
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
      defaultMode: 420,
    },
  };
}
