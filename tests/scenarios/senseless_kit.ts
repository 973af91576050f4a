/** What scenarios of objects that make no sense begin with, and what they wait for. */
import {
  CONFIGMAPS,
  EVENTS,
  type KubeObject,
  newControllerRef,
  type Pod,
  PODS,
  type Resource,
} from "../../src/api/mod.ts";
import { type Kit, orphanPod } from "./kit.ts";

/** The largest number that most fields can hold. */
export const HUGE = 2 ** 31 - 1;

/** Seconds that overflow Go's durations; they come out negative. */
export const OVERFLOWING_SECONDS = 9_223_372_037;

/** Waits for an event of the object called `name` with this reason. */
export async function told(kit: Kit, name: string, reason: string): Promise<void> {
  await kit.untilAll(
    EVENTS,
    `one of ${name} is ${reason}`,
    (events) => events.some((event) => event.reason === reason && event.involvedObject.name === name),
  );
}

/** Waits until a controller has seen the object as it is. */
export async function observed<T extends KubeObject & { readonly status?: { readonly observedGeneration?: number } }>(
  kit: Kit,
  resource: Resource<T>,
  name: string,
): Promise<T> {
  return await kit.until(
    resource,
    name,
    "is observed",
    ({ metadata, status }) => status?.observedGeneration === (metadata?.generation ?? 0),
  );
}

/** A pod labelled `app=<app>` that a ConfigMap controls, as if that could be. */
export async function podOfAnother(kit: Kit, name: string, app: string): Promise<Pod> {
  const owner = await kit.create(CONFIGMAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `owner-of-${name}` },
  });
  const { metadata, ...rest } = orphanPod(name, app);
  const ownerReferences = [{ ...newControllerRef(owner, CONFIGMAPS), blockOwnerDeletion: undefined }];
  await kit.create(PODS, { ...rest, metadata: { ...metadata, ownerReferences } });
  return await kit.until(PODS, name, "runs", ({ status }) => status?.phase === "Running");
}

/** A pod labelled `app=<app>` whose controller, of this kind, never was; the garbage collector ends it. */
export async function podOfNobody(kit: Kit, name: string, app: string, owner: Resource): Promise<void> {
  const { metadata, ...rest } = orphanPod(name, app);
  const never = { metadata: { name: "never", uid: "11111111-2222-3333-4444-555555555555" } };
  const ownerReferences = [{ ...newControllerRef(never, owner), blockOwnerDeletion: undefined }];
  await kit.create(PODS, { ...rest, metadata: { ...metadata, ownerReferences } });
  await kit.untilGone(PODS, name);
}
