import type { KubeObject, OwnerReference, Resource } from "../../api/mod.ts";
import { parallelize } from "../../base/mod.ts";
import type { ClusterReader, Listed } from "./cluster_reader.ts";
import type { Kinds } from "./kinds.ts";

/** How many lists are requested at a time. */
const PARALLEL = 10;

/** An object and its reference to the owner in question. */
export interface Dependent {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly reference: OwnerReference;
}

/** Lists kinds, a few at a time; returns them in the order of `resources`. */
export async function listKinds(
  reader: ClusterReader,
  resources: readonly Resource[],
  options: { readonly namespace?: string; readonly whole?: boolean },
): Promise<Listed[]> {
  const lists: Listed[] = [];
  await parallelize(PARALLEL, resources.length, async (i) => {
    lists[i] = await reader.listMetadata(resources[i], options);
  });
  return lists;
}

/**
 * An index of objects by owner. A namespaced owner has dependents in its namespace; a cluster-scoped one has them
 * anywhere.
 */
export class DependentIndex {
  readonly #reader: ClusterReader;
  readonly #kinds: Kinds;
  readonly #scopes = new Map<string, Promise<Scope>>();

  constructor(reader: ClusterReader, kinds: Kinds) {
    this.#reader = reader;
    this.#kinds = kinds;
  }

  /** Every object that names the owner; `isPartial` if not all objects were read. */
  async of(
    owner: KubeObject,
  ): Promise<{ readonly dependents: readonly Dependent[]; readonly isPartial: boolean }> {
    const { namespace = "", uid = "" } = owner.metadata ?? {};
    const scope = this.#scopes.get(namespace) ?? this.#read(namespace);
    this.#scopes.set(namespace, scope);
    const { byOwner, isPartial } = await scope;
    return { dependents: byOwner.get(uid) ?? [], isPartial };
  }

  async #read(namespace: string): Promise<Scope> {
    const resources = this.#kinds.listable(namespace === "" ? "any" : "namespaced");
    const lists = await listKinds(this.#reader, resources, { namespace: namespace || undefined, whole: true });
    const byOwner = new Map<string, Dependent[]>();
    for (const { resource, items } of lists) {
      for (const object of items) {
        for (const reference of object.metadata?.ownerReferences ?? []) {
          const known = byOwner.get(reference.uid) ?? [];
          byOwner.set(reference.uid, [...known, { resource, object, reference }]);
        }
      }
    }
    return { byOwner, isPartial: lists.some(({ isComplete }) => !isComplete) };
  }
}

interface Scope {
  readonly byOwner: ReadonlyMap<string, readonly Dependent[]>;
  readonly isPartial: boolean;
}
