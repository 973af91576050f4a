import { deepCopy } from "../../../../src/base/mod.ts";
import {
  groupResource,
  joinKey,
  type KubeObject,
  type OwnerReference,
  type Resource,
} from "../../../../src/api/mod.ts";
import type { Client, ObjectRef } from "../../../../src/client/mod.ts";
import { statusError } from "./status_errors.ts";

/** A change of a stored object, as a watch would tell it. */
export type FakeChange =
  | { readonly type: "add"; readonly resource: Resource; readonly object: KubeObject }
  | { readonly type: "update"; readonly resource: Resource; readonly old: KubeObject; readonly object: KubeObject }
  | { readonly type: "delete"; readonly resource: Resource; readonly object: KubeObject };

interface Fault {
  readonly prefix: string;
  readonly error: Error;
  timesLeft: number;
}

type MetadataPatch = {
  uid?: string;
  resourceVersion?: string;
  finalizers?: string[] | null;
  ownerReferences?: (OwnerReference & { $patch?: "delete" })[] | null;
};

type DeleteOptions = NonNullable<Parameters<Client["delete"]>[2]>;

/**
 * An API server as far as deletions go: preconditions, propagation policies, finalizers, patches of metadata. Records every
 * call as one line of text.
 */
export class FakeClient {
  /** Lines like `get pods a/p`, with the body or the options in JSON where there are some. */
  readonly calls: string[] = [];
  /** Told of every change of a stored object. */
  onChange: (change: FakeChange) => void = () => {};
  /** Called before a call is answered; the place to change things behind the caller's back. */
  onCall: (call: string) => void = () => {};
  readonly #objects = new Map<string, { readonly resource: Resource; readonly object: KubeObject }>();
  readonly #faults: Fault[] = [];
  #version = 100;

  /** Puts an object in place without recording a call; a missing resource version is made up. */
  store(resource: Resource, object: KubeObject): KubeObject {
    const key = keyOf(resource, object.metadata ?? {});
    const old = this.#objects.get(key)?.object;
    const stored = deepCopy({ ...object, metadata: { resourceVersion: this.#next(), ...object.metadata } });
    this.#objects.set(key, { resource, object: stored });
    this.onChange(old ? { type: "update", resource, old, object: stored } : { type: "add", resource, object: stored });
    return stored;
  }

  /** Removes an object without recording a call. */
  drop(resource: Resource, ref: { namespace?: string; name?: string }): void {
    const entry = this.#objects.get(keyOf(resource, ref));
    this.#objects.delete(keyOf(resource, ref));
    if (entry) this.onChange({ type: "delete", resource, object: entry.object });
  }

  find(resource: Resource, ref: { namespace?: string; name?: string }): KubeObject | undefined {
    return this.#objects.get(keyOf(resource, ref))?.object;
  }

  objects(): { resource: Resource; object: KubeObject }[] {
    return [...this.#objects.values()];
  }

  /** The next `times` calls that begin with `prefix` fail with `error`. */
  fail(prefix: string, error: Error, times = Infinity): void {
    this.#faults.push({ prefix, error, timesLeft: times });
  }

  getMetadata = (resource: Resource, ref: ObjectRef): Promise<KubeObject> => this.#get(resource, ref);

  // The methods below have the generic signatures of Client; what a resource holds is what was stored for it.
  // deno-lint-ignore no-explicit-any
  get = (resource: Resource<any>, ref: ObjectRef): Promise<any> => this.#get(resource, ref);
  // deno-lint-ignore no-explicit-any
  list = (resource: Resource<any>, options: { namespace?: string } = {}): Promise<any> =>
    this.#list("list", resource, options);
  // deno-lint-ignore no-explicit-any
  listMetadata = (resource: Resource, options: { namespace?: string } = {}): Promise<any> =>
    this.#list("listMetadata", resource, options);

  // deno-lint-ignore no-explicit-any
  create = (resource: Resource<any>, object: any): Promise<any> =>
    this.#call("create", resource, object.metadata, object, () => {
      if (this.find(resource, object.metadata)) throw statusError(409, "AlreadyExists");
      return this.store(resource, object);
    });

  // deno-lint-ignore no-explicit-any
  update = (resource: Resource<any>, object: any, options: { subresource?: string } = {}): Promise<any> =>
    this.#call(options.subresource ?? "update", resource, object.metadata, object, () => this.#put(resource, object));

  // deno-lint-ignore no-explicit-any
  updateStatus = (resource: Resource<any>, object: any): Promise<any> =>
    this.#call("updateStatus", resource, object.metadata, object, () => this.#put(resource, object));

  // deno-lint-ignore no-explicit-any
  patchMetadata = (resource: Resource, ref: ObjectRef, options: { type: string; body: any }): Promise<any> =>
    this.#call(`patch:${options.type}`, resource, ref, options.body, () => {
      const isCustom = resource.group.includes(".") && !resource.group.endsWith(".k8s.io");
      if (options.type === "strategic" && isCustom) throw statusError(415, "UnsupportedMediaType");
      return this.#patch(resource, this.#existing(resource, ref), options.body.metadata);
    });

  delete = (resource: Resource, ref: ObjectRef, options: DeleteOptions = {}): Promise<KubeObject> =>
    this.#call("delete", resource, ref, options, () => {
      const object = this.#existing(resource, ref);
      const { uid, resourceVersion } = options.preconditions ?? {};
      const { metadata } = object;
      if ((uid && uid !== metadata?.uid) || (resourceVersion && resourceVersion !== metadata?.resourceVersion)) {
        throw statusError(409, "Conflict");
      }
      return this.#delete(resource, object, options.propagationPolicy);
    });

  deleteCollection = (resource: Resource, options: DeleteOptions & { namespace?: string } = {}): Promise<void> =>
    this.#call("deleteCollection", resource, { name: options.namespace }, options.propagationPolicy, () => {
      for (const object of this.#in(resource, options.namespace)) {
        this.#delete(resource, object, options.propagationPolicy);
      }
    });

  #get(resource: Resource, ref: ObjectRef): Promise<KubeObject> {
    return this.#call("get", resource, ref, undefined, () => deepCopy(this.#existing(resource, ref)));
  }

  #list(verb: string, resource: Resource, { namespace }: { namespace?: string }): Promise<unknown> {
    return this.#call(verb, resource, { name: namespace }, undefined, () => ({
      metadata: {},
      items: deepCopy(this.#in(resource, namespace)),
    }));
  }

  #in(resource: Resource, namespace: string | undefined): KubeObject[] {
    return this.objects().filter((entry) =>
      groupResource(entry.resource) === groupResource(resource) && entry.object.metadata?.namespace === namespace
    ).map(({ object }) => object);
  }

  #existing(resource: Resource, ref: ObjectRef): KubeObject {
    const object = this.find(resource, ref);
    if (!object) throw statusError(404, "NotFound");
    return object;
  }

  #put(resource: Resource, object: KubeObject): KubeObject {
    const current = this.#existing(resource, { name: "", ...object.metadata });
    const { resourceVersion } = object.metadata ?? {};
    if (resourceVersion && resourceVersion !== current.metadata?.resourceVersion) throw statusError(409, "Conflict");
    return this.#write(resource, { ...current, ...object });
  }

  #patch(resource: Resource, object: KubeObject, patch: MetadataPatch): KubeObject | undefined {
    const { metadata } = object;
    if (patch.uid && patch.uid !== metadata?.uid) throw statusError(409, "Conflict");
    if (patch.resourceVersion && patch.resourceVersion !== metadata?.resourceVersion) {
      throw statusError(409, "Conflict");
    }
    const changed = { ...metadata };
    if (patch.finalizers !== undefined) changed.finalizers = patch.finalizers ?? undefined;
    if (patch.ownerReferences === null) changed.ownerReferences = undefined;
    else if (patch.ownerReferences && patch.uid) {
      const references = new Map((metadata?.ownerReferences ?? []).map((reference) => [reference.uid, reference]));
      for (const { $patch, ...reference } of patch.ownerReferences) {
        if ($patch === "delete") references.delete(reference.uid);
        else references.set(reference.uid, { ...references.get(reference.uid), ...reference });
      }
      changed.ownerReferences = [...references.values()];
    } else if (patch.ownerReferences) changed.ownerReferences = patch.ownerReferences;
    if (changed.deletionTimestamp && !changed.finalizers?.length) return this.#remove(resource, object);
    return this.#write(resource, { ...object, metadata: changed });
  }

  #delete(resource: Resource, object: KubeObject, policy: string | undefined): KubeObject {
    const { metadata } = object;
    const finalizers = (metadata?.finalizers ?? []).filter((name) =>
      policy === undefined || (name !== "orphan" && name !== "foregroundDeletion")
    );
    if (policy === "Orphan") finalizers.push("orphan");
    if (policy === "Foreground") finalizers.push("foregroundDeletion");
    if (finalizers.length === 0) return this.#remove(resource, object);
    const deletionTimestamp = metadata?.deletionTimestamp ?? "2026-01-01T00:00:00Z";
    return this.#write(resource, { ...object, metadata: { ...metadata, finalizers, deletionTimestamp } });
  }

  #write(resource: Resource, object: KubeObject): KubeObject {
    return deepCopy(
      this.store(resource, { ...object, metadata: { ...object.metadata, resourceVersion: this.#next() } }),
    );
  }

  #remove(resource: Resource, object: KubeObject): KubeObject {
    this.drop(resource, object.metadata ?? {});
    return object;
  }

  async #call<R>(
    verb: string,
    resource: Resource,
    { namespace, name = "" }: { namespace?: string; name?: string },
    detail: unknown,
    answer: () => R,
  ): Promise<R> {
    const target = `${verb} ${resource.plural} ${joinKey(namespace, name)}`.trimEnd();
    const call = detail === undefined ? target : `${target} ${JSON.stringify(detail)}`;
    this.calls.push(call);
    await Promise.resolve();
    this.onCall(call);
    const fault = this.#faults.find(({ prefix, timesLeft }) => timesLeft > 0 && call.startsWith(prefix));
    if (fault) {
      fault.timesLeft--;
      throw fault.error;
    }
    return answer();
  }

  #next(): string {
    return String(++this.#version);
  }
}

function keyOf(resource: Resource, { namespace, name }: { namespace?: string; name?: string }): string {
  return `${groupResource(resource)} ${joinKey(resource.namespaced ? namespace : undefined, name ?? "")}`;
}
