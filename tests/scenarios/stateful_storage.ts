/** A StatefulSet that keeps data, from its first pod to its last volume: one story for every kind of cluster. */
import {
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  PODS,
  STATEFULSETS,
  VOLUMEATTACHMENTS,
} from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";

/** What a user applies. It names no class: the cluster has a default one. */
export const DATABASE = `
apiVersion: v1
kind: Service
metadata:
  name: db
spec:
  clusterIP: None
  selector: { app: db }
  ports: [{ port: 5432 }]
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: db
spec:
  replicas: 2
  serviceName: db
  selector: { matchLabels: { app: db } }
  persistentVolumeClaimRetentionPolicy: { whenDeleted: Delete, whenScaled: Delete }
  template:
    metadata: { labels: { app: db } }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: db
          image: postgres:17
          volumeMounts: [{ name: data, mountPath: /data }]
  volumeClaimTemplates:
    - metadata: { name: data }
      spec:
        accessModes: [ReadWriteOnce]
        resources: { requests: { storage: 1Gi } }
`;

/** How the story goes on in one kind of cluster: with kubectl, or by requests. */
export interface Hands {
  apply(manifest: string): Promise<unknown>;
  scale(replicas: number): Promise<unknown>;
  /** Asks for another size for a claim. */
  resize(claim: string, storage: string): Promise<unknown>;
  delete(): Promise<unknown>;
}

/** Applies {@link DATABASE}, scales it, lets a volume grow and deletes it all; each step is waited for to its end. */
export async function liveWithStorage(kit: Kit, hands: Hands): Promise<void> {
  await hands.apply(DATABASE);
  await untilRunning(kit, 2);
  const claims = await kit.list(PERSISTENTVOLUMECLAIMS);
  const volumes = claims.map(({ spec }) => spec?.volumeName ?? "");
  await untilAttached(kit, volumes, 2);

  await hands.scale(3);
  await untilRunning(kit, 3);
  await hands.scale(2);
  await untilRunning(kit, 2);

  await hands.resize("data-db-0", "2Gi");
  await kit.until(PERSISTENTVOLUMECLAIMS, "data-db-0", "has grown", isDone("2Gi"));
  const volume = await kit.client.get(PERSISTENTVOLUMES, { name: volumes[0] });
  if (volume.spec?.capacity?.storage !== "2Gi") throw new Error(`volume ${volumes[0]} has not grown`);

  await hands.delete();
  await kit.untilAll(PODS, "ours are gone", (pods) => pods.every(({ metadata }) => metadata?.labels?.app !== "db"));
  await kit.untilAll(PERSISTENTVOLUMECLAIMS, "all are gone", (claims) => claims.length === 0);
  await untilAttached(kit, volumes, 0);
  await kit.untilAll(
    PERSISTENTVOLUMES,
    "those of the claims are gone",
    (all) => all.every(({ metadata }) => !volumes.includes(metadata?.name ?? "")),
  );
}

/** Waits until so many pods run, each with a claim of its own that is bound. */
async function untilRunning(kit: Kit, count: number): Promise<void> {
  await kit.until(
    STATEFULSETS,
    "db",
    `has ${count} ready pods`,
    ({ status }) => status?.readyReplicas === count && status.replicas === count,
  );
  await kit.untilAll(
    PERSISTENTVOLUMECLAIMS,
    `${count} are bound`,
    (claims) => claims.length === count && claims.every(isDone("1Gi")),
  );
}

function isDone(storage: string): (claim: PersistentVolumeClaim) => boolean {
  return ({ status }) =>
    status?.phase === "Bound" && status.capacity?.storage === storage && !status.conditions?.length &&
    !status.allocatedResourceStatuses;
}

async function untilAttached(kit: Kit, volumes: readonly string[], count: number): Promise<void> {
  await kit.untilAll(VOLUMEATTACHMENTS, `${count} of ours are there, all attached`, (all) => {
    const ours = all.filter(({ spec }) => volumes.includes(spec.source.persistentVolumeName ?? ""));
    return ours.length === count && ours.every(({ status }) => status?.attached);
  });
}
