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

/** What was seen of one object and of what its deletion may wait for. */
export interface ObjectFacts {
  readonly resource: Resource;
  /** Whole where its kind has {@link Details}, else perhaps metadata only. */
  readonly object: KubeObject;
  readonly owners: readonly OwnerFact[];
  /** Absent where it does not matter, or where {@link cut} says that nobody looked. */
  readonly dependents?: DependentsFacts;
  readonly details: Details;
  readonly cut?: Cut;
}

/** Why nothing more was read of an object: it is above it in the tree, elsewhere in it, or there was enough already. */
export type Cut = "cycle" | "seen" | "limit";

/** What became of an owner that an object names. */
export interface OwnerFact {
  readonly reference: OwnerReference;
  readonly state: OwnerState;
}

export type OwnerState =
  | { readonly type: "present"; readonly resource: Resource; readonly object: KubeObject }
  | { readonly type: "absent" }
  /** The server has no such kind in that version. */
  | { readonly type: "notServed" }
  /** The object belongs to no namespace, and its owner's kind does. */
  | { readonly type: "namespaced" }
  | { readonly type: "unread" };

/** Objects that name an object as their owner. */
export interface DependentsFacts {
  /** Some of those that hold up its foreground deletion. */
  readonly blocking: readonly ObjectFacts[];
  readonly blockingCount: number;
  /** All that name it. */
  readonly byKind: readonly KindCount[];
  /** There are kinds with more objects than were read. */
  readonly isPartial: boolean;
}

export interface KindCount {
  readonly resource: Resource;
  readonly count: number;
}

/** Objects of one kind in a namespace, or of a custom kind everywhere. */
export interface ContentFacts extends KindCount {
  /** The server did not say how many more than these there are. */
  readonly isAtLeast: boolean;
  /** How many were looked at; finalizers and deletions were counted among these. */
  readonly lookedAt: number;
  readonly deleting: number;
  /** Name and number of objects that carry it. */
  readonly finalizers: readonly (readonly [finalizer: string, count: number])[];
  /** A few of them: those that something holds. */
  readonly samples: readonly ObjectFacts[];
}

/** A part of the API that namespaces must be emptied of and that cannot be seen. */
export interface ApiFailure {
  /** Such as `metrics.k8s.io/v1beta1`. */
  readonly groupVersion: string;
  /** What discovery said; absent if only the APIService says so. */
  readonly error?: string;
  readonly apiService?: {
    readonly name: string;
    /** Where it should be answered: namespace/name. */
    readonly service?: string;
    readonly reason?: string;
    readonly message?: string;
  };
}

/** A list that the server failed to give for another reason than missing rights. */
export interface ListFailure {
  readonly resource: Resource;
  readonly error: string;
}

/** What kinds have that others have not. */
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
    /** Pods that hold it, a few of them. */
    readonly users: readonly ObjectFacts[];
    readonly userCount: number;
    readonly areUsersRead: boolean;
  }
  | {
    readonly type: "volume";
    readonly volume: PersistentVolume;
    /** The claim that it is bound to; absent if that does not exist, or the volume is not bound. */
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

/** Whether somebody leads who runs the built-in controllers. */
export type ManagerFact =
  | { readonly type: "leads"; readonly holder: string }
  | { readonly type: "expired"; readonly holder: string; readonly renewTime: string }
  | { readonly type: "noLease" }
  | { readonly type: "unread" };

/** Something that could not be read, so that the answer may lack something. */
export interface Unread {
  /** Such as `secrets in namespace x`. */
  readonly what: string;
  readonly why: string;
}

/** Everything that was seen for one question. */
export interface Observation {
  readonly target: ObjectFacts;
  /** When the namespace of the object is being deleted: since when. */
  readonly namespaceDeletingSince?: string;
  readonly manager: ManagerFact;
  readonly unread: readonly Unread[];
}
