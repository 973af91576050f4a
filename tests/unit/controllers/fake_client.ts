import { assertEquals } from "@std/assert";
import { deepCopy, deepEqual } from "../../../src/base/mod.ts";
import {
  groupResource,
  joinKey,
  type KubeObject,
  objectKey,
  type OwnerReference,
  parseLabelSelector,
  type Resource,
} from "../../../src/api/mod.ts";
import { type Client, type ObjectRef, StatusError } from "../../../src/client/mod.ts";

/** A request that reached the fake. */
export interface FakeCall {
  /** `get pods a/p`, `put replicasets/status a/r`. */
  readonly text: string;
  readonly body?: unknown;
}

/** What a stored object becomes: `undefined` when it is gone. */
export type ChangeListener = (resource: Resource, object: KubeObject, isGone: boolean) => void;

interface Fault {
  readonly prefix: string;
  readonly error: unknown;
  skip: number;
  times: number;
}

/** What controllers patch in pods: owner references and finalizers. */
interface OwnersPatch {
  readonly metadata: {
    readonly uid?: string;
    readonly ownerReferences?: readonly (OwnerReference & { $patch?: "delete" })[];
    readonly finalizers?: readonly string[];
    readonly "$deleteFromPrimitiveList/finalizers"?: readonly string[];
  };
}

/** What controllers merge into pods: labels. */
interface LabelsPatch {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
}

/**
 * An API server in memory for controller tests: resource versions and conflicts, uid preconditions of patches, generated
 * names, and the status subresource (which keeps annotations too, as Deployments' does). Records every call.
 */
export class FakeClient {
  readonly calls: FakeCall[] = [];
  /** What the creation time of new objects is; none if absent. */
  now?: () => string;
  /** Told of every stored change; connect caches here. */
  onChange: ChangeListener = () => {};
  readonly #objects = new Map<string, KubeObject>();
  readonly #faults: Fault[] = [];
  #version = 1000;

  /** The newest resource version. */
  get version(): string {
    return String(this.#version);
  }

  /** The texts of the calls, without those that only read. */
  get writes(): string[] {
    return this.calls.map(({ text }) => text).filter((text) => !/^(get|list) /.test(text));
  }

  /** The bodies of the calls whose text begins with `prefix`. */
  bodies<T>(prefix: string): T[] {
    return this.calls.filter(({ text }) => text.startsWith(prefix)).map(({ body }) => body as T);
  }

  /** Puts objects in place without recording a call; a missing resource version is made up. */
  store<T extends KubeObject>(resource: Resource<T>, ...objects: T[]): T[] {
    return objects.map((object) => {
      const metadata = { resourceVersion: String(++this.#version), ...object.metadata };
      return this.#put(resource, { ...deepCopy(object), metadata });
    });
  }

  find<T extends KubeObject>(resource: Resource<T>, key: string): T | undefined {
    return this.#objects.get(`${groupResource(resource)} ${key}`) as T | undefined;
  }

  all<T extends KubeObject>(resource: Resource<T>): T[] {
    const prefix = `${groupResource(resource)} `;
    return [...this.#objects].filter(([key]) => key.startsWith(prefix)).map(([, object]) => object as T);
  }

  /** Lets calls whose text begins with `prefix` fail: `times` of them, after `skip` that succeed. */
  fail(prefix: string, error: unknown, { skip = 0, times = Infinity } = {}): void {
    this.#faults.push({ prefix, error, skip, times });
  }

  get = <T extends KubeObject>(resource: Resource<T>, ref: ObjectRef): Promise<T> =>
    this.#call("get", resource, { ref }, () => deepCopy(this.#existing(resource, ref)));

  list = <T extends KubeObject>(
    resource: Resource<T>,
    { namespace, labelSelector = "" }: NonNullable<Parameters<Client["list"]>[1]> = {},
  ) =>
    this.#call("list", resource, { ref: { namespace, name: labelSelector } }, () => {
      const selector = parseLabelSelector(labelSelector);
      const matches = ({ metadata }: T) =>
        (!namespace || metadata?.namespace === namespace) && selector.matches(metadata?.labels);
      return { metadata: {}, items: deepCopy(this.all(resource).filter(matches)) };
    });

  create = <T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> => {
    const { namespace, name, generateName } = object.metadata ?? {};
    const ref = { namespace, name: name ?? `${generateName}*` };
    return this.#call("create", resource, { ref, body: object }, () => {
      const version = String(++this.#version);
      const metadata = {
        ...object.metadata,
        name: name ?? `${generateName}${version}`,
        uid: `uid-${name ?? generateName}-${version}`,
        resourceVersion: version,
        generation: 1,
        creationTimestamp: this.now?.(),
      };
      if (this.find(resource, joinKey(namespace, metadata.name))) throw statusError(409, "AlreadyExists");
      return deepCopy(this.#put(resource, asSent({ ...object, metadata })));
    });
  };
  /** Recorded as a `create`; answers the whole object, of which a caller may read the metadata. */
  createMetadata = <T extends KubeObject>(resource: Resource<T>, object: T): Promise<KubeObject> =>
    this.create(resource, object);

  update = <T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> =>
    this.#call("put", resource, { ref: refOf(object), body: object }, () => {
      const stored: T & { spec?: unknown } = this.#checkVersion(resource, object);
      const isSameSpec = deepEqual(stored.spec, asSent<T & { spec?: unknown }>(object).spec);
      const generation = (stored.metadata?.generation ?? 0) + (isSameSpec ? 0 : 1);
      return this.#replace(resource, { ...object, metadata: { ...object.metadata, generation } });
    });

  updateStatus = <T extends KubeObject & { status?: unknown }>(resource: Resource<T>, object: T): Promise<T> =>
    this.#call("put", resource, { ref: refOf(object), body: object, subresource: "status" }, () => {
      const stored = this.#checkVersion(resource, object);
      const metadata = { ...stored.metadata, annotations: object.metadata?.annotations };
      return this.#replace(resource, { ...stored, metadata, status: object.status });
    });

  patch = <T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, options: { type: string; body: unknown }) =>
    this.#call("patch", resource, { ref, body: options.body }, () => {
      const stored = this.#existing(resource, ref);
      if (options.type === "merge") return this.#mergeLabels(resource, stored, options.body as LabelsPatch);
      assertEquals(options.type, "strategic");
      const { uid, ownerReferences = [], ...patch } = (options.body as OwnersPatch).metadata;
      if (uid !== undefined && uid !== stored.metadata?.uid) throw statusError(422, "Invalid");
      const removed = patch["$deleteFromPrimitiveList/finalizers"] ?? [];
      const finalizers = [
        ...(stored.metadata?.finalizers ?? []).filter((name) => !removed.includes(name)),
        ...patch.finalizers ?? [],
      ];
      const gone = new Set(ownerReferences.filter(({ $patch }) => $patch === "delete").map((owner) => owner.uid));
      const kept = stored.metadata?.ownerReferences?.filter((owner) => !gone.has(owner.uid)) ?? [];
      const added = ownerReferences.filter(({ $patch }) => !$patch);
      return this.#replace(resource, {
        ...stored,
        metadata: {
          ...stored.metadata,
          ownerReferences: [...kept, ...added],
          finalizers: finalizers.length > 0 ? finalizers : undefined,
        },
      });
    });
  /** Recorded as a `patch`. */
  patchMetadata = <T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    options: { type: string; body: unknown },
  ): Promise<KubeObject> => this.patch(resource, ref, options);

  delete = (resource: Resource, ref: ObjectRef): Promise<KubeObject> =>
    this.#call("delete", resource, { ref }, () => {
      const stored = this.#existing(resource, ref);
      this.#objects.delete(`${groupResource(resource)} ${joinKey(ref.namespace, ref.name)}`);
      this.onChange(resource, stored, true);
      return stored;
    });

  async #call<R>(
    verb: string,
    resource: Resource,
    { ref, body, subresource }: { ref: ObjectRef; body?: unknown; subresource?: string },
    answer: () => R,
  ): Promise<R> {
    const plural = subresource ? `${resource.plural}/${subresource}` : resource.plural;
    const text = `${verb} ${plural} ${joinKey(ref.namespace, ref.name)}`;
    this.calls.push({ text, body: deepCopy(body) });
    await Promise.resolve();
    const fault = this.#faults.find(({ prefix, times }) => text.startsWith(prefix) && times > 0);
    if (fault && fault.skip-- <= 0) {
      fault.times--;
      throw fault.error;
    }
    return answer();
  }

  #mergeLabels<T extends KubeObject>(resource: Resource<T>, stored: T, { metadata }: LabelsPatch): T {
    const labels = { ...stored.metadata?.labels, ...metadata.labels };
    return this.#replace(resource, { ...stored, metadata: { ...stored.metadata, labels } });
  }

  #existing<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef): T {
    const stored = this.find(resource, joinKey(ref.namespace, ref.name));
    if (!stored) throw statusError(404, "NotFound", `${groupResource(resource)} "${ref.name}" not found`);
    return stored;
  }

  #checkVersion<T extends KubeObject>(resource: Resource<T>, object: T): T {
    const stored = this.#existing(resource, refOf(object));
    if (stored.metadata?.resourceVersion !== object.metadata?.resourceVersion) throw statusError(409, "Conflict");
    return stored;
  }

  #replace<T extends KubeObject>(resource: Resource<T>, object: T): T {
    const metadata = { ...object.metadata, resourceVersion: String(++this.#version) };
    return deepCopy(this.#put(resource, asSent({ ...object, metadata })));
  }

  #put<T extends KubeObject>(resource: Resource<T>, object: T): T {
    this.#objects.set(`${groupResource(resource)} ${objectKey(object)}`, object);
    this.onChange(resource, object, false);
    return object;
  }
}

/** What the API server refuses a request with; `causes` are reasons in its details. */
export function statusError(
  code: number,
  reason: string,
  message = reason,
  causes: readonly string[] = [],
): StatusError {
  const details = { causes: causes.map((cause) => ({ reason: cause })) };
  return new StatusError({ status: "Failure", code, reason, message, details });
}

/** The refusal to create anything in a namespace that is being deleted. */
export function namespaceTerminating(): StatusError {
  return statusError(403, "Forbidden", "unable to create new content in namespace a", ["NamespaceTerminating"]);
}

/** A recorder that keeps events as lines: `Normal SuccessfulCreate a/r Created pod: r-1`. */
export class FakeRecorder {
  readonly lines: string[] = [];

  event(
    object: KubeObject | { namespace?: string; name?: string },
    type: string,
    reason: string,
    message: string,
  ): void {
    const key = "metadata" in object ? objectKey(object) : "?";
    this.lines.push(`${type} ${reason} ${key} ${message}`);
  }
}

/** As on the wire: what is undefined does not exist. */
function asSent<T>(object: T): T {
  return JSON.parse(JSON.stringify(object));
}

function refOf(object: KubeObject): ObjectRef {
  return { namespace: object.metadata?.namespace, name: object.metadata?.name ?? "" };
}
