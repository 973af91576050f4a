import { type KubeObject, parseApiVersion, pathSegmentErrors, type Resource } from "../../api/mod.ts";
import { type Client, isConflict, isNotFound, type ObjectRef, type RestMapper } from "../../client/mod.ts";
import { deepEqual, errorText } from "../../base/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { Coordinates, Identity } from "./identity.ts";

/** The verbs that garbage collection needs; metadata only. */
export type MetadataClient = Pick<Client, "getMetadata" | "patchMetadata" | "delete">;

/** An object's metadata from an informer, if one has it, which saves a GET. */
export type CachedObjects = (identity: Identity) => Promise<KubeObject | undefined>;

/** What happens to an object's dependents when it is deleted. */
export type Propagation = "Orphan" | "Background" | "Foreground";

/**
 * Currently no served resource is known for a kind. This does not show whether an object exists, so it is always
 * retried.
 */
export class UnmappedKindError extends Error {
  override readonly name = "UnmappedKindError";

  constructor({ apiVersion, kind }: Pick<Coordinates, "apiVersion" | "kind">, why: unknown) {
    super(`unable to get REST mapping for ${apiVersion}/${kind}: ${errorText(why)}`);
  }
}

/** A cluster-scoped object names an owner of a namespaced kind: no such owner can be found, and no retry will help. */
export class NamespacedOwnerError extends Error {
  override readonly name = "NamespacedOwnerError";

  constructor() {
    super("cluster-scoped objects cannot refer to namespaced owners");
  }
}

/** Reads and writes objects on the API server by identity. */
export class LiveObjects {
  readonly #client: MetadataClient;
  readonly #mapper: Pick<RestMapper, "resourceFor">;

  constructor({ client, mapper }: { client: MetadataClient; mapper: Pick<RestMapper, "resourceFor"> }) {
    this.#client = client;
    this.#mapper = mapper;
  }

  /**
   * The resource that serves a kind.
   *
   * @throws {UnmappedKindError} If there is none, or discovery fails.
   */
  async resourceOf(owner: Pick<Coordinates, "apiVersion" | "kind">): Promise<Resource> {
    try {
      return await this.#mapper.resourceFor({ ...parseApiVersion(owner.apiVersion), kind: owner.kind });
    } catch (error) {
      throw new UnmappedKindError(owner, error);
    }
  }

  /**
   * The object with this identity; `undefined` if the server has none, or another one under the same name.
   *
   * @throws {NamespacedOwnerError} If the kind is namespaced and the identity has no namespace.
   * @throws {UnmappedKindError} If the kind is not served.
   */
  async get(identity: Identity): Promise<KubeObject | undefined> {
    const resource = await this.resourceOf(identity);
    return await this.getFrom(resource, identity);
  }

  /**
   * As {@link LiveObjects.get}, for a kind whose resource is known. No object's name contains a slash, but
   * kube-apiserver accepts one in an owner reference.
   */
  async getFrom(resource: Resource, identity: Identity): Promise<KubeObject | undefined> {
    if (pathSegmentErrors(identity.name).length > 0) return undefined;
    try {
      const object = await this.#client.getMetadata(resource, refOf(resource, identity));
      return object.metadata?.uid === identity.uid ? object : undefined;
    } catch (error) {
      if (serverSays(error, isNotFound)) return undefined;
      throw error;
    }
  }

  /** Sends a strategic or a JSON merge patch. */
  async patch(identity: Identity, type: "strategic" | "merge", body: unknown): Promise<void> {
    const resource = await this.resourceOf(identity);
    await this.#client.patchMetadata(resource, refOf(resource, identity), { type, body });
  }

  /**
   * Deletes exactly the object that was read: this UID in this resource version. If the object changed meanwhile but
   * its owner references did not, the decision stands and it is deleted in any version.
   *
   * @param seen The live object on which the decision is based.
   */
  async delete(identity: Identity, seen: KubeObject, propagation: Propagation): Promise<void> {
    const { resourceVersion } = seen.metadata ?? {};
    try {
      await this.deleteVersion(identity, resourceVersion, propagation);
    } catch (error) {
      if (!serverSays(error, isConflict) || !resourceVersion) throw error;
      const now = (await this.get(identity))?.metadata;
      const isSameDecision = now !== undefined && now.resourceVersion !== resourceVersion &&
        deepEqual(now.ownerReferences ?? [], seen.metadata?.ownerReferences ?? []);
      if (!isSameDecision) throw error;
      await this.deleteVersion(identity, undefined, propagation);
    }
  }

  /**
   * Deletes the object with this UID, in this resource version only if one is given.
   *
   * @throws {ApiError} A conflict if it has another one.
   */
  async deleteVersion(
    identity: Identity,
    resourceVersion: string | undefined,
    propagation: Propagation,
  ): Promise<void> {
    const resource = await this.resourceOf(identity);
    await this.#client.delete(resource, refOf(resource, identity), {
      propagationPolicy: propagation,
      preconditions: { uid: identity.uid, resourceVersion },
    });
  }
}

function refOf(resource: Resource, { namespace, name }: Identity): ObjectRef {
  if (!resource.namespaced) return { name };
  if (namespace === "") throw new NamespacedOwnerError();
  return { namespace, name };
}
