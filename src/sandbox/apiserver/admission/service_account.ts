import {
  generateName,
  type Pod,
  ROOT_CA_CONFIG_MAP,
  ROOT_CA_KEY,
  type ServiceAccount,
  type Volume,
  type VolumeMount,
} from "../../../api/mod.ts";
import { type Random, sleep } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { MIRROR } from "../kinds/pods/mod.ts";
import { type Admission, type Operation, refusal } from "../operations/mod.ts";
import { isOpen } from "./namespace_lifecycle.ts";
import { keepMirrorPodPlain } from "./mirror_pods.ts";

const DEFAULT = "default";
const MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
const VOLUME_PREFIX = "kube-api-access-";
const ATTEMPTS = 10;
const RETRY_MS = 100;

function accountOf({ state: { store }, namespace }: Operation, { spec }: Pod): ServiceAccount | undefined {
  return store.get("serviceaccounts", `${namespace}/${spec?.serviceAccountName || DEFAULT}`) as
    | ServiceAccount
    | undefined;
}

function isMirror({ metadata }: Pod): boolean {
  return metadata?.annotations?.[MIRROR] !== undefined;
}

/** If the new object is a pod, waits for its account: a new namespace gets its default one a moment later. */
export async function awaitDefaultAccount(operation: Operation, object: StoredObject): Promise<void> {
  if (operation.served.collection !== "pods") return;
  const pod = object as Pod;
  const { clock, random } = operation.state.world;
  if (isMirror(pod) || (pod.spec?.serviceAccountName || DEFAULT) !== DEFAULT) return;
  const intervalMs = RETRY_MS * (1 + random.float());
  // There is nothing to wait for in a namespace that is being deleted.
  for (let attempt = 1; attempt < ATTEMPTS && !accountOf(operation, pod); attempt++) {
    if (!isOpen(operation)) return;
    await sleep(clock, intervalMs);
  }
}

/** Gives a pod its service account and that account's token. Upstream: `plugin/pkg/admission/serviceaccount`. */
export function addServiceAccount(admission: Admission<Pod>): void {
  const { object, operation } = admission;
  const { spec } = object;
  if (!spec) return;
  if (isMirror(object)) return keepMirrorPodPlain(admission);
  spec.serviceAccount = spec.serviceAccountName ||= DEFAULT;
  const account = findAccount(admission);
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) {
    mountToken(spec, operation.state.world.random);
  }
  if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length) {
    spec.imagePullSecrets = account.imagePullSecrets.map(({ name }) => ({ name }));
  }
}

/**
 * A pod whose account is gone gets no ephemeral containers.
 *
 * @throws {ApiError} 403.
 */
export function requireAccount(admission: Admission<Pod>): void {
  findAccount(admission);
}

function findAccount(admission: Admission<Pod>): ServiceAccount {
  const { object, operation } = admission;
  const found = accountOf(operation, object);
  if (found) return found;
  const name = object.spec?.serviceAccountName || DEFAULT;
  const key = `${operation.namespace}/${name}`;
  throw refusal(admission, `error looking up service account ${key}: serviceaccount ${JSON.stringify(name)} not found`);
}

function mountToken(spec: NonNullable<Pod["spec"]>, random: Random): void {
  const present = spec.volumes?.find(({ name }) => name.startsWith(VOLUME_PREFIX))?.name;
  const volumeName = present ?? generateName(VOLUME_PREFIX, random);
  const mount: VolumeMount = { name: volumeName, readOnly: true, mountPath: MOUNT_PATH };
  let isMounted = false;
  for (const container of [...spec.initContainers ?? [], ...spec.containers ?? []]) {
    if (container.volumeMounts?.some(({ mountPath }) => mountPath === MOUNT_PATH)) continue;
    container.volumeMounts = [...container.volumeMounts ?? [], { ...mount }];
    isMounted = true;
  }
  if (isMounted && present === undefined) spec.volumes = [...spec.volumes ?? [], tokenVolume(volumeName)];
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: ROOT_CA_CONFIG_MAP, items: [{ key: ROOT_CA_KEY, path: ROOT_CA_KEY }] } },
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
