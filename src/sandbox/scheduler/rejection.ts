/** Why a node is unsuitable for a pod. */
export interface Rejection {
  readonly reasons: readonly string[];
  /** Whether removing other pods could help. */
  readonly isResolvable: boolean;
}

/** A rejection that removing pods would not change. */
export function never(...reasons: string[]): Rejection {
  return { reasons, isResolvable: false };
}

/** A rejection that is due to existing pods. */
export function notNow(...reasons: string[]): Rejection {
  return { reasons, isResolvable: true };
}
