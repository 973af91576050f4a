/**
 * Pods whose tracking finalizer was removed, although the cache may still show it: counting them again would count them
 * twice. Nothing expires: a pod that is wrongly awaited would never be counted, and one that is wrongly not awaited
 * would be counted twice.
 *
 * Contract:
 * 1. A uid is awaited from when it is expected until it is observed, or its Job's key is deleted; expecting more adds
 *    to what is awaited.
 *
 * Upstream: `pkg/controller/job/tracking_utils.go` (uidTrackingExpectations).
 */
export class FinalizerExpectations {
  readonly #awaited = new Map<string, Set<string>>();

  /** A snapshot of the awaited uids of pods of the Job with this key. */
  awaited(key: string): ReadonlySet<string> {
    return new Set(this.#awaited.get(key));
  }

  expect(key: string, uids: Iterable<string>): void {
    const awaited = this.#awaited.get(key);
    if (awaited) { for (const uid of uids) awaited.add(uid); }
    else this.#awaited.set(key, new Set(uids));
  }

  /** Records that the finalizer or the pod is gone, or that the removal failed. */
  observe(key: string, uid: string | undefined): void {
    if (uid !== undefined) this.#awaited.get(key)?.delete(uid);
  }

  delete(key: string): void {
    this.#awaited.delete(key);
  }
}
