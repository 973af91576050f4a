import type {
  CustomResourceDefinition,
  KubeObject,
  Namespace,
  OwnerReference,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Resource,
} from "../../api/mod.ts";

/** The facts about an object and about what its deletion may wait for. */
export interface ObjectFacts {
  readonly resource: Resource;
  /** Complete if its kind has {@link Details}; otherwise possibly metadata only. */
  readonly object: KubeObject;
  readonly owners: readonly OwnerFact[];
  /** Absent if irrelevant, or not read because of {@link cut}. */
  readonly dependents?: DependentsFacts;
  readonly details: Details;
  readonly cut?: Cut;
}

/**
 * Why no more was read about an object: it is its own ancestor in the tree, it is elsewhere in the tree, or a limit was
 * reached.
 */
export type Cut = "cycle" | "seen" | "limit";

/** The state of an owner that an object names. */
export interface OwnerFact {
  readonly reference: OwnerReference;
  readonly state: OwnerState;
}

export type OwnerState =
  | { readonly type: "present"; readonly resource: Resource; readonly object: KubeObject }
  | { readonly type: "absent" }
  /** The server does not serve the kind in that version. */
  | { readonly type: "notServed" }
  /** The object is cluster-scoped but its owner's kind is namespaced. */
  | { readonly type: "namespaced" }
  | { readonly type: "unread" };

/** Objects that name an object as their owner. */
export interface DependentsFacts {
  /** Some of those that hold up its foreground deletion. */
  readonly blocking: readonly ObjectFacts[];
  readonly blockingCount: number;
  /** All dependents by kind. */
  readonly byKind: readonly KindCount[];
  /** Some kinds have more objects than were read. */
  readonly isPartial: boolean;
}

export interface KindCount {
  readonly resource: Resource;
  readonly count: number;
}

/** Objects of one kind in a namespace, or of a custom kind everywhere. */
export interface ContentFacts extends KindCount {
  /** The server did not say how many more there are. */
  readonly isAtLeast: boolean;
  /** How many were read; finalizers and deletions were counted among these. */
  readonly lookedAt: number;
  readonly deleting: number;
  /** Each finalizer and the number of objects that have it. */
  readonly finalizers: readonly (readonly [finalizer: string, count: number])[];
  /** A few blocked ones. */
  readonly samples: readonly ObjectFacts[];
}

/** A part of the API that cannot be listed, which blocks the deletion of namespaces. */
export interface ApiFailure {
  /** Such as `metrics.k8s.io/v1beta1`. */
  readonly groupVersion: string;
  /** The discovery error; absent if only the APIService reports the failure. */
  readonly error?: string;
  readonly apiService?: {
    readonly name: string;
    /** The service that should answer: namespace/name. */
    readonly service?: string;
    readonly reason?: string;
    readonly message?: string;
  };
}

/** A list that failed for a reason other than missing rights. */
export interface ListFailure {
  readonly resource: Resource;
  readonly error: string;
}

/** Details of specific kinds. */
export type Details =
  | { readonly type: "plain" }
  | {
    readonly type: "namespace";
    readonly namespace: Namespace;
    readonly contents: readonly ContentFacts[];
    readonly apiFailures: readonly ApiFailure[];
    readonly listFailures: readonly ListFailure[];
  }
  | { readonly type: "pod"; readonly pod: Pod; readonly node: NodeFact }
  | {
    readonly type: "claim";
    readonly claim: PersistentVolumeClaim;
    /** A few of the pods that use it. */
    readonly users: readonly ObjectFacts[];
    readonly userCount: number;
    readonly areUsersRead: boolean;
  }
  | {
    readonly type: "volume";
    readonly volume: PersistentVolume;
    /** The claim that it is bound to; absent if the claim does not exist or the volume is not bound. */
    readonly claim?: ObjectFacts;
    readonly attachments: readonly ObjectFacts[];
  }
  | {
    readonly type: "definition";
    readonly definition: CustomResourceDefinition;
    readonly contents: readonly ContentFacts[];
    readonly listFailures: readonly ListFailure[];
  };

/** The node of a pod. */
export type NodeFact =
  | { readonly type: "none" }
  | { readonly type: "gone"; readonly name: string }
  | { readonly type: "ready"; readonly name: string }
  | { readonly type: "notReady"; readonly name: string; readonly since?: string; readonly reason?: string }
  | { readonly type: "unread"; readonly name: string };

/** Whether a manager with the built-in controllers leads. */
export type ManagerFact =
  | { readonly type: "leads"; readonly holder: string }
  | { readonly type: "expired"; readonly holder: string; readonly renewTime: string }
  | { readonly type: "noLease" }
  | { readonly type: "unread" };

/** Something that could not be read, so the answer may be incomplete. */
export interface Unread {
  /** Such as `secrets in namespace x`. */
  readonly what: string;
  readonly why: string;
}

/** All facts for one question. */
export interface Observation {
  readonly target: ObjectFacts;
  /** Since when the object's namespace is being deleted, if it is. */
  readonly namespaceDeletingSince?: string;
  readonly manager: ManagerFact;
  readonly unread: readonly Unread[];
}
