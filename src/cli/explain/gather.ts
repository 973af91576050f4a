import {
  type CustomResourceDefinition,
  CUSTOMRESOURCEDEFINITIONS,
  FOREGROUND_DELETION_FINALIZER,
  groupResource,
  type KubeObject,
  type Namespace,
  NAMESPACES,
  ORPHAN_FINALIZER,
  type OwnerReference,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type Resource,
} from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { ClusterReader } from "./cluster_reader.ts";
import { apiFailuresOf, contentsOf, listFailuresOf } from "./contents.ts";
import { DependentIndex, listKinds } from "./dependents.ts";
import type { Cut, DependentsFacts, Details, KindCount, ObjectFacts } from "./facts.ts";
import type { Observation, OwnerFact, OwnerState } from "./facts.ts";
import type { Kinds } from "./kinds.ts";
import { managerLease } from "./manager_lease.ts";
import { nodeOf, podsUsing, volumeUse } from "./volumes_and_nodes.ts";

/** How deep chains of blocking objects are followed. */
const MOST_DEPTH = 8;
/** How many objects are read individually for one question. */
const MOST_OBJECTS = 60;
/** How many blocking dependents of one owner are read. */
const MOST_BLOCKING = 5;

/** The sources to read from. */
export interface GatherOptions {
  readonly world: World;
  readonly reader: ClusterReader;
  readonly kinds: Kinds;
}

/** Reads everything that explains why `object` still exists, or what would block its deletion. */
export async function observe(
  { resource, object }: { readonly resource: Resource; readonly object: KubeObject },
  options: GatherOptions,
): Promise<Observation> {
  const { reader } = options;
  const target = await new Gatherer(options).look(resource, object);
  const { namespace } = object.metadata ?? {};
  const around = namespace ? await reader.get(NAMESPACES, { name: namespace }) : undefined;
  const namespaceDeletingSince = around?.type === "found" ? around.object.metadata?.deletionTimestamp : undefined;
  const manager = await managerLease(reader, options.world);
  return { target, namespaceDeletingSince, manager, unread: reader.unread };
}

/**
 * Follows chains of blocking objects from one object.
 *
 * Contract:
 * 1. Each object is examined once; a repetition is marked as one, and as a circle if it closes one.
 * 2. At most sixty objects are examined, eight levels deep.
 */
class Gatherer {
  readonly #reader: ClusterReader;
  readonly #kinds: Kinds;
  readonly #dependents: DependentIndex;
  readonly #path: string[] = [];
  readonly #seen = new Set<string>();

  constructor({ reader, kinds }: GatherOptions) {
    this.#reader = reader;
    this.#kinds = kinds;
    this.#dependents = new DependentIndex(reader, kinds);
  }

  async look(resource: Resource, object: KubeObject): Promise<ObjectFacts> {
    const uid = object.metadata?.uid ?? "";
    const cut = this.#cut(uid);
    if (cut) return { resource, object, owners: [], details: { type: "plain" }, cut };
    this.#seen.add(uid);
    this.#path.push(uid);
    try {
      const { whole, details } = await this.#details(resource, object);
      const dependents = await this.#dependentsOf(resource, whole);
      return { resource, object: whole, owners: await this.#ownersOf(whole), dependents, details };
    } finally {
      this.#path.pop();
    }
  }

  #cut(uid: string): Cut | undefined {
    if (this.#path.includes(uid)) return "cycle";
    if (this.#seen.has(uid)) return "seen";
    return this.#path.length >= MOST_DEPTH || this.#seen.size >= MOST_OBJECTS ? "limit" : undefined;
  }

  async #ownersOf({ metadata }: KubeObject): Promise<OwnerFact[]> {
    const owners: OwnerFact[] = [];
    for (const reference of metadata?.ownerReferences ?? []) {
      owners.push({ reference, state: await this.#ownerState(reference, metadata?.namespace) });
    }
    return owners;
  }

  async #ownerState({ apiVersion, kind, name, uid }: OwnerReference, namespace?: string): Promise<OwnerState> {
    const resource = this.#kinds.ofKind(apiVersion, kind);
    if (!resource) return this.#kinds.failures.has(apiVersion) ? { type: "unread" } : { type: "notServed" };
    if (resource.namespaced && !namespace) return { type: "namespaced" };
    const answer = await this.#reader.get(resource, { namespace, name });
    if (answer.type !== "found") return answer;
    const { object } = answer;
    return object.metadata?.uid === uid ? { type: "present", resource, object } : { type: "absent" };
  }

  /** Not for cluster-scoped objects in use: all objects of the cluster would have to be read. */
  async #dependentsOf(resource: Resource, object: KubeObject): Promise<DependentsFacts | undefined> {
    const { finalizers = [], deletionTimestamp } = object.metadata ?? {};
    const isWaitedFor = [FOREGROUND_DELETION_FINALIZER, ORPHAN_FINALIZER].some((name) => finalizers.includes(name));
    const isTarget = this.#path.length === 1;
    if (!isWaitedFor && !(isTarget && !deletionTimestamp && resource.namespaced)) return undefined;
    const { dependents, isPartial } = await this.#dependents.of(object);
    const held = finalizers.includes(FOREGROUND_DELETION_FINALIZER)
      ? dependents.filter(({ reference }) => reference.blockOwnerDeletion === true)
      : [];
    const blocking: ObjectFacts[] = [];
    // Blocked objects are more informative than those that are progressing.
    const byInterest = held.toSorted((a, b) => interest(b.object) - interest(a.object));
    for (const dependent of byInterest.slice(0, MOST_BLOCKING)) {
      blocking.push(await this.look(dependent.resource, dependent.object));
    }
    const byKind = new Map<string, KindCount>();
    for (const dependent of dependents) {
      const name = groupResource(dependent.resource);
      byKind.set(name, { resource: dependent.resource, count: (byKind.get(name)?.count ?? 0) + 1 });
    }
    return { blocking, blockingCount: held.length, byKind: [...byKind.values()], isPartial };
  }

  async #details(resource: Resource, object: KubeObject): Promise<{ whole: KubeObject; details: Details }> {
    const plain = { whole: object, details: { type: "plain" } as const };
    const { namespace, name = "" } = object.metadata ?? {};
    const kind = groupResource(resource);
    if (!WITH_DETAILS.has(kind)) return plain;
    const answer = await this.#reader.get(resource, { namespace, name });
    if (answer.type !== "found") return plain;
    return { whole: answer.object, details: await this.#detailsOf(kind, answer.object) };
  }

  async #detailsOf(kind: string, object: KubeObject): Promise<Details> {
    const look = this.look.bind(this);
    switch (kind) {
      case "namespaces":
        return await this.#insideOf(object);
      case "customresourcedefinitions.apiextensions.k8s.io":
        return await this.#instancesOf(object as CustomResourceDefinition);
      case "pods":
        return { type: "pod", pod: object as Pod, node: await nodeOf(object, this.#reader) };
      case "persistentvolumeclaims":
        return {
          type: "claim",
          claim: object as PersistentVolumeClaim,
          ...await podsUsing(object, this.#reader, look),
        };
      default:
        return { type: "volume", volume: object as PersistentVolume, ...await volumeUse(object, this.#reader, look) };
    }
  }

  async #insideOf(namespace: Namespace): Promise<Details> {
    const where = { namespace: namespace.metadata?.name };
    // In order of deletion, so that findings about pods are grouped.
    const kinds = this.#kinds.listable("namespaced").toSorted((a, b) => deletionOrder(a) - deletionOrder(b));
    const lists = await listKinds(this.#reader, kinds, where);
    return {
      type: "namespace",
      namespace,
      contents: await contentsOf(lists, this.look.bind(this)),
      apiFailures: await apiFailuresOf(this.#reader, this.#kinds),
      listFailures: listFailuresOf(lists),
    };
  }

  async #instancesOf(definition: CustomResourceDefinition): Promise<Details> {
    const { group, names, scope, versions } = definition.spec;
    const version = versions.find(({ served }) => served)?.name;
    const resource = version
      ? { group, version, plural: names.plural, kind: names.kind, namespaced: scope === "Namespaced" }
      : undefined;
    const lists = resource ? await listKinds(this.#reader, [resource], {}) : [];
    return {
      type: "definition",
      definition,
      contents: await contentsOf(lists, this.look.bind(this)),
      listFailures: listFailuresOf(lists),
    };
  }
}

/** A namespace's pods are deleted before anything else. */
function deletionOrder(resource: Resource): number {
  return groupResource(resource) === "pods" ? 0 : 1;
}

function interest({ metadata }: KubeObject): number {
  const finalizers = metadata?.finalizers?.length ?? 0;
  return (finalizers > 0 ? 2 : 0) + (metadata?.deletionTimestamp ? 1 : 0);
}

const WITH_DETAILS: ReadonlySet<string> = new Set([
  groupResource(NAMESPACES),
  groupResource(CUSTOMRESOURCEDEFINITIONS),
  "pods",
  "persistentvolumeclaims",
  "persistentvolumes",
]);
