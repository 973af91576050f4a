/** The type of a {@link Finding}, for programs that read it. */
export type FindingCode =
  | "Finalizer"
  | "UnknownFinalizer"
  | "NamespaceFinalizer"
  | "RemainingContent"
  | "RemainingKind"
  | "PodsFirst"
  | "ApiFailure"
  | "ListFailure"
  | "NamespaceCondition"
  | "BlockingDependents"
  | "Dependents"
  | "Object"
  | "Cycle"
  | "Owner"
  | "OwnerNotServed"
  | "OwnerAbsent"
  | "GracePeriod"
  | "NodeGone"
  | "NodeNotReady"
  | "NodeSlow"
  | "InUse"
  | "Bound"
  | "Attached"
  | "NamespaceDeleted"
  | "ManagerAbsent"
  | "NothingLeft"
  | "More";

/** One finding. */
export interface Finding {
  readonly code: FindingCode;
  /** Whether it blocks the deletion (or would), is temporary, or is only informative. */
  readonly level: "blocks" | "passes" | "info";
  readonly message: string;
  /** Its object, if different from the parent's. */
  readonly object?: ObjectName;
  /** The program that must act. */
  readonly waitsFor?: string;
  readonly causes?: readonly Finding[];
  readonly advice?: Advice;
}

/** Advice for the user. */
export interface Advice {
  /** Advice with the same key is shown once. */
  readonly key: string;
  readonly text: string;
  /** A command to type. */
  readonly command?: string;
}

/** One object, for people and programs. */
export interface ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

/** The explanation of what blocks an object's deletion. */
export interface Explanation {
  readonly object: ObjectName;
  /** In kubectl's format: `configmap/held`. */
  readonly title: string;
  readonly state: DeletionState;
  readonly findings: readonly Finding[];
  /** What could not be read. */
  readonly unread: readonly { readonly what: string; readonly why: string }[];
  readonly nextSteps: readonly Pick<Advice, "text" | "command">[];
}

/** Whether the object is being deleted, and since when. */
export type DeletionState =
  | { readonly type: "present" }
  | { readonly type: "deleting"; readonly since: string; readonly forMs: number };
