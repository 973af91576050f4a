/** What a {@link Finding} is about, for programs that read it. */
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

/** One thing that was found out. */
export interface Finding {
  readonly code: FindingCode;
  /** Whether it holds the deletion up (or would), is on its way to being done, or is said for orientation. */
  readonly level: "blocks" | "passes" | "info";
  readonly message: string;
  /** The object that it is about, if not the one above. */
  readonly object?: ObjectName;
  /** The program whose turn it is. */
  readonly waitsFor?: string;
  readonly causes?: readonly Finding[];
  readonly advice?: Advice;
}

/** What a person can do. */
export interface Advice {
  /** Advice with the same key is given once. */
  readonly key: string;
  readonly text: string;
  /** To be typed. */
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

/** The answer to the question what holds the deletion of an object. */
export interface Explanation {
  readonly object: ObjectName;
  /** As kubectl takes it: `configmap/held`. */
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
