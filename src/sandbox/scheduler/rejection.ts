/** Why a node does not do for a pod. */
export interface Rejection {
  readonly reasons: readonly string[];
  /** Whether removing other pods could help. */
  readonly isResolvable: boolean;
}

/** A reason that no removal of pods could change. */
export function never(...reasons: string[]): Rejection {
  return { reasons, isResolvable: false };
}

/** A reason that lies in the pods that are there. */
export function notNow(...reasons: string[]): Rejection {
  return { reasons, isResolvable: true };
}
