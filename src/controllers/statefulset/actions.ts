import { errorText } from "../../base/mod.ts";
import {
  CONTROLLER_HASH_LABEL,
  type ControllerRevision,
  CONTROLLERREVISIONS,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  type Pod,
  PODS,
  type StatefulSet,
  STATEFULSETS,
  type StatefulSetStatus,
} from "../../api/mod.ts";
import { DEFAULT_BACKOFF, isAlreadyExists, isNotFound, retryOnConflict } from "../../client/mod.ts";
import { holds, newRevision, type RevisionData, revisionHash, revisionName } from "../revisions/mod.ts";
import { aggregateErrors, ensureNotReplaced, serverSays } from "../running/mod.ts";
import type { StatefulSetContext } from "./context.ts";
import { identityMatches, ordinalOf, withIdentity } from "./identity.ts";
import { deletesWhenScaled, hasConflict, isStaleForPod, ownersMatch, withOwners } from "./retention.ts";
import { needsWrite } from "./status.ts";
import { claimsOf, newClaim, storageMatches, withStorage } from "./storage.ts";

type Verb = "Create" | "Update" | "Delete";

/**
 * The only way in which StatefulSets' pods and their claims are written, with events on the set.
 * Upstream: `pkg/controller/statefulset/stateful_pod_control.go`.
 */
export class StatefulPodControl {
  readonly #context: StatefulSetContext;

  constructor(context: StatefulSetContext) {
    this.#context = context;
  }

  /**
   * Creates the pod after its claims.
   *
   * @throws The error of the claims or the pod; there is no event if the pod exists.
   */
  async createPod(set: StatefulSet, pod: Pod): Promise<void> {
    const { client, guard } = this.#context;
    await this.#told("Create", set, pod, () => this.#createClaims(set, pod));
    let failure: unknown;
    try {
      guard.wrote(set, PODS, await client.create(PODS, pod));
    } catch (error) {
      if (serverSays(error, isAlreadyExists)) throw error;
      failure = error;
    }
    await this.#told("Update", set, pod, () => this.applyRetention(set, pod));
    this.#report("Create", set, pod, failure);
    if (failure !== undefined) throw failure;
  }

  /** Restores a pod's name, labels and volumes, and its claims' owners, if something differs. */
  async repairPod(set: StatefulSet, found: Pod): Promise<void> {
    const { world, pods } = this.#context;
    const name = found.metadata?.name ?? "";
    let pod = found;
    let isTried = false;
    const attempt = async () => {
      if (!await this.#repairClaims(set, pod)) return;
      isTried = true;
      try {
        await this.#writeRepaired(set, name);
      } catch (error) {
        pod = pods.get(set.metadata?.namespace, name) ?? pod;
        throw error;
      }
    };
    let failure: unknown;
    try {
      await retryOnConflict(world, attempt, { retry: DEFAULT_BACKOFF });
    } catch (error) {
      failure = error;
    }
    if (isTried) this.#report("Update", set, pod, failure);
    if (failure !== undefined) throw failure;
  }

  /** Repairs the pod's claims; returns whether anything was wrong with them or with the pod. */
  async #repairClaims(set: StatefulSet, pod: Pod): Promise<boolean> {
    const isStorageRight = storageMatches(set, pod);
    if (!isStorageRight) await this.#told("Update", set, pod, () => this.#createClaims(set, pod));
    const isRetentionRight = this.claimsMatch(set, pod);
    if (!isRetentionRight) await this.#told("Update", set, pod, () => this.applyRetention(set, pod));
    return !identityMatches(set, pod) || !isStorageRight || !isRetentionRight;
  }

  /** Upstream writes its cached pod; our cache contains only part of it. */
  async #writeRepaired(set: StatefulSet, name: string): Promise<void> {
    const { client, guard } = this.#context;
    let pod = await client.get(PODS, { namespace: set.metadata?.namespace, name });
    if (!identityMatches(set, pod)) pod = withIdentity(set, pod);
    if (!storageMatches(set, pod)) pod = withStorage(set, pod);
    guard.wrote(set, PODS, await client.update(PODS, pod));
  }

  /** Deletes the pod; one that is gone already counts as deleted. */
  async deletePod(set: StatefulSet, { namespace, name = "" }: NonNullable<Pod["metadata"]>): Promise<void> {
    const pod = { metadata: { namespace, name } };
    try {
      await this.#context.client.delete(PODS, { namespace, name });
    } catch (error) {
      if (!serverSays(error, isNotFound)) {
        this.#report("Delete", set, pod, error);
        throw error;
      }
    }
    this.#report("Delete", set, pod);
  }

  /** Creates a pod's missing claims, and sets the owners of all of them. */
  async createMissingClaims(set: StatefulSet, pod: Pod): Promise<void> {
    await this.#createClaims(set, pod);
    await this.#told("Update", set, pod, () => this.applyRetention(set, pod));
  }

  /** Whether a claim is still owned by a deleted pod of this name, and about to be deleted with it. */
  hasStaleClaim(set: StatefulSet, pod: Pod): boolean {
    return deletesWhenScaled(set) && this.#knownClaims(set, pod).some((claim) => isStaleForPod(claim, pod));
  }

  /** Whether the pod's claims have the owners that the set's policy requires; missing claims count as right. */
  claimsMatch(set: StatefulSet, pod: Pod): boolean {
    return this.#knownClaims(set, pod).every((claim) => ownersMatch(claim, { set, pod }));
  }

  /** Sets the owners that the set's policy requires on the pod's claims. */
  async applyRetention(set: StatefulSet, pod: Pod): Promise<void> {
    const { client, recorder, guard } = this.#context;
    const owners = { set, pod };
    for (const claim of this.#knownClaims(set, pod)) {
      const name = claim.metadata?.name;
      if (hasConflict(claim, owners)) {
        const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging ` +
          "controller, the retention policy is ignored for this claim";
        recorder.event(set, "Warning", "ConflictingController", message);
      }
      if (ownersMatch(claim, owners)) continue;
      try {
        const written = await client.update(PERSISTENTVOLUMECLAIMS, withOwners(claim, owners));
        guard.wrote(set, PERSISTENTVOLUMECLAIMS, written);
      } catch (error) {
        const message = `could not update claim ${name} for delete policy ownerRefs: ${errorText(error)}`;
        throw new Error(message, { cause: error });
      }
    }
  }

  #knownClaims(set: StatefulSet, pod: Pod): PersistentVolumeClaim[] {
    const namespace = set.metadata?.namespace;
    return claimsOf(set, ordinalOf(pod)).map(({ name }) => this.#context.claims.get(namespace, name))
      .filter((claim) => claim !== undefined);
  }

  async #createClaims(set: StatefulSet, pod: Pod): Promise<void> {
    const { client, claims, guard } = this.#context;
    const errors: unknown[] = [];
    for (const wanted of claimsOf(set, ordinalOf(pod))) {
      const { name } = wanted;
      const existing = claims.get(set.metadata?.namespace, name);
      if (existing) {
        if (existing.metadata?.deletionTimestamp) errors.push(new Error(`pvc ${name} is being deleted`));
        continue;
      }
      try {
        const created = await client.create(PERSISTENTVOLUMECLAIMS, newClaim(set, wanted));
        guard.wrote(set, PERSISTENTVOLUMECLAIMS, created);
        this.#reportClaim(set, pod, name);
      } catch (error) {
        errors.push(new Error(`failed to create PVC ${name}: ${errorText(error)}`, { cause: error }));
        if (!serverSays(error, isAlreadyExists)) this.#reportClaim(set, pod, name, error);
      }
    }
    const error = aggregateErrors(errors);
    if (error) throw error;
  }

  /** Runs `act` and records an event about the pod. */
  async #told(verb: Verb, set: StatefulSet, pod: Pod, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#report(verb, set, pod, error);
      throw error;
    }
  }

  #report(verb: Verb, set: StatefulSet, { metadata }: Pod, error?: unknown): void {
    const what = `${verb} Pod ${metadata?.name} in StatefulSet ${set.metadata?.name}`;
    const { recorder } = this.#context;
    if (error === undefined) recorder.event(set, "Normal", `Successful${verb}`, `${what} successful`);
    else recorder.event(set, "Warning", `Failed${verb}`, `${what} failed error: ${errorText(error)}`);
  }

  #reportClaim(set: StatefulSet, { metadata }: Pod, claim: string, error?: unknown): void {
    const where = `Pod ${metadata?.name} in StatefulSet ${set.metadata?.name}`;
    const { recorder } = this.#context;
    if (error === undefined) {
      recorder.event(set, "Normal", "SuccessfulCreate", `Create Claim ${claim} ${where} success`);
    } else {
      const message = `Create Claim ${claim} for ${where} failed error: ${errorText(error)}`;
      recorder.event(set, "Warning", "FailedCreate", message);
    }
  }
}

interface Proposal {
  readonly data: RevisionData;
  readonly revision: number;
  readonly collisionCount: number;
}

/** Creates the revision, trying other names while names are taken by other data; its label keeps the first hash. */
export async function createRevision(
  set: StatefulSet,
  { data, revision, collisionCount }: Proposal,
  { client }: StatefulSetContext,
): Promise<{ update: ControllerRevision; collisionCount: number }> {
  const hash = revisionHash(data, collisionCount);
  const proposed = newRevision({
    parent: set,
    parentResource: STATEFULSETS,
    template: set.spec!.template,
    data,
    revision,
    hash,
    hashLabel: CONTROLLER_HASH_LABEL,
  });
  const { namespace, name: setName = "" } = set.metadata ?? {};
  for (let suffix = hash;; suffix = revisionHash(data, ++collisionCount)) {
    const name = revisionName(setName, suffix);
    const wanted = { ...proposed, metadata: { ...proposed.metadata, name } };
    try {
      return { update: await client.create(CONTROLLERREVISIONS, wanted, { isCanonical: true }), collisionCount };
    } catch (error) {
      if (!serverSays(error, isAlreadyExists)) throw error;
    }
    const existing = await client.get(CONTROLLERREVISIONS, { namespace, name });
    if (holds(existing, data)) return { update: existing, collisionCount };
  }
}

/** Gives a revision the highest number. */
export async function renumber(
  found: ControllerRevision,
  revision: number,
  { world, client, revisions }: StatefulSetContext,
): Promise<ControllerRevision> {
  const { namespace, name = "" } = found.metadata ?? {};
  let stored = found;
  return await retryOnConflict(world, async () => {
    if (stored.revision === revision) return stored;
    const wanted = { ...stored, revision };
    try {
      await client.update(CONTROLLERREVISIONS, wanted, { isCanonical: true });
      return wanted;
    } catch (error) {
      stored = revisions.get(namespace, name) ?? stored;
      throw error;
    }
  }, { retry: DEFAULT_BACKOFF });
}

/**
 * Writes the status if it changed. After a conflict, retries with the set that the cache has by then.
 * Upstream: `pkg/controller/statefulset/stateful_set_status_updater.go`.
 *
 * @throws {StatusError} The last try's error.
 * @throws {Error} If the set was replaced by another of its name.
 */
export async function writeStatus(
  cached: StatefulSet,
  status: StatefulSetStatus,
  { world, client, sets, guard }: Pick<StatefulSetContext, "world" | "client" | "sets" | "guard">,
): Promise<void> {
  if (!needsWrite(cached, status)) return;
  const { namespace, name = "" } = cached.metadata ?? {};
  let set = cached;
  await retryOnConflict(world, async () => {
    ensureNotReplaced(STATEFULSETS, cached, set);
    try {
      guard.wroteOwner(await client.updateStatus(STATEFULSETS, { ...set, status }));
    } catch (error) {
      set = sets.get(namespace, name) ?? set;
      throw error;
    }
  });
}
