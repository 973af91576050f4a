import { apiVersionOf, type KubeObject, type Resource } from "../api/mod.ts";
import { MetricsRegistry, parseJson } from "../base/mod.ts";
import type { Call, Query } from "./call.ts";
import { CallRunner } from "./call_runner.ts";
import type * as options from "./client_options.ts";
import * as types from "./content_types.ts";
import { listPages } from "./list_pages.ts";
import { toMetadata, toMetadataList } from "./metadata_only.ts";
import { deleteBody, jsonBody, objectBody, withKind } from "./request_body.ts";
import { collectionPath, creationPath, objectPath } from "./request_path.ts";
import { RequestSender } from "./request_sender.ts";
import { ServerOutages } from "./server_outages.ts";
import { exchangeOf } from "./transport.ts";

/**
 * The API server's verbs, typed by resource.
 *
 * Contract:
 * 1. An unsuccessful answer throws {@link StatusError}; so does a success whose body is a Status other than Success.
 * 2. A request for one object never goes out with an empty name, nor with an empty namespace for a namespaced resource.
 * 3. Integers beyond 2^53 survive reading and writing back.
 * 4. Nothing is retried but what {@link RequestSender} names; a conflict is the caller's business.
 * 5. An aborted signal ends the request, and the promise rejects with the signal's reason.
 * 6. A request that has not ended in time throws {@link ConnectionError} with failure `timeout`: 90 s with its retries,
 *    or the client's timeout. A stream must begin by then. Only the wait for the client's own limiter does not count.
 * 7. An answer with another object than the one requested is an error, and so is one that is longer than any object: 16
 *    MiB.
 *
 * Upstream: `k8s.io/client-go/rest`.
 *
 * @example
 * ```ts
 * import { PODS } from "kubeloop/api";
 * import { Client, isNotFound } from "kubeloop/client";
 * import { FakeWorld } from "kubeloop/world";
 * import { assertRejects } from "@std/assert";
 *
 * const transport = () => Promise.resolve(new Response("no such pod", { status: 404 }));
 * const client = new Client({ world: new FakeWorld(), transport, server: "https://example.test", userAgent: "docs" });
 * const error = await assertRejects(() => client.get(PODS, { namespace: "default", name: "web-0" }));
 * console.assert(isNotFound(error));
 * ```
 */
export class Client {
  /** Reports when the server can be reached again. */
  readonly outages: ServerOutages;
  readonly #calls: CallRunner;

  constructor({ transport, metrics = new MetricsRegistry(), server, timeoutMs, ...rest }: options.ClientOptions) {
    const exchange = exchangeOf(transport);
    const outages = this.outages = rest.outages ?? new ServerOutages();
    const sender = new RequestSender({
      ...rest,
      server: server.replace(/(?<!\/)\/+$/, ""),
      metrics,
      outages,
      exchange,
    });
    this.#calls = new CallRunner({ clock: rest.world.clock, sender, timeoutMs });
  }

  /** Reads one object. */
  async get<T extends KubeObject>(
    resource: Resource<T>,
    ref: options.ObjectRef,
    { subresource, resourceVersion, signal }: options.GetOptions = {},
  ): Promise<T> {
    return await this.#calls.object<T>({
      method: "GET",
      path: objectPath(resource, { ...ref, subresource }),
      query: { resourceVersion },
      accept: types.ACCEPT_JSON,
      resource,
      name: ref.name,
      object: { ...ref, subresource },
      signal,
    });
  }

  /** Reads the objects of a namespace or of all; one answer, which may be one page. Items carry apiVersion and kind. */
  async list<T extends KubeObject>(
    resource: Resource<T>,
    listOptions: options.ListOptions = {},
  ): Promise<options.ObjectList<T>> {
    const list = await this.#list<T>(resource, listOptions, types.ACCEPT_JSON);
    const apiVersion = apiVersionOf(resource);
    for (const item of list.items) {
      item.apiVersion ??= apiVersion;
      item.kind ??= resource.kind;
    }
    return list;
  }

  /** Reads a whole list in pages of `limit` (default 500). */
  async listPages<T extends KubeObject>(
    resource: Resource<T>,
    listOptions: options.ListOptions = {},
  ): Promise<options.ObjectList<T>> {
    return await listPages((page) => this.list(resource, page), listOptions);
  }

  /** Creates an object, by default in its own namespace. */
  async create<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    { namespace = object.metadata?.namespace, name, subresource, ...rest }: options.CreateOptions = {},
  ): Promise<T> {
    while (this.#calls.serialising.spent) await this.#calls.serialising.nextTurn();
    return await this.#calls.object<T>({
      method: "POST",
      path: creationPath(resource, { namespace, name, subresource }),
      query: writeQuery(rest),
      ...objectBody(subresource ? object : withKind(resource, object), rest),
      resource,
      name: name ?? object.metadata?.name,
      object: { namespace, name: name ?? object.metadata?.name, subresource },
      signal: rest.signal,
    });
  }

  /** Creates an object but requests only its metadata in return, which saves both sides work. */
  async createMetadata<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    { namespace = object.metadata?.namespace, ...rest }: options.WriteOptions & { readonly namespace?: string } = {},
  ): Promise<options.PartialObjectMetadata> {
    while (this.#calls.serialising.spent) await this.#calls.serialising.nextTurn();
    return toMetadata(
      await this.#calls.object({
        method: "POST",
        path: creationPath(resource, { namespace }),
        query: writeQuery(rest),
        ...jsonBody(withKind(resource, object)),
        accept: types.ACCEPT_METADATA,
        resource,
        name: object.metadata?.name,
        object: { namespace, name: object.metadata?.name },
        signal: rest.signal,
      }),
    );
  }

  /** Creates a subresource whose kind is not the object's: `token`, `eviction`, `binding`. */
  async createSubresource<T>(
    resource: Resource,
    ref: options.ObjectRef,
    { subresource, body, ...rest }: options.WriteOptions & { readonly subresource: string; readonly body: T },
  ): Promise<T> {
    return await this.#calls.object<T>({
      method: "POST",
      path: creationPath(resource, { ...ref, subresource }),
      query: writeQuery(rest),
      ...jsonBody(body),
      resource,
      name: ref.name,
      signal: rest.signal,
    });
  }

  /** Replaces an object. Fails with a conflict if its resourceVersion or uid differ from the stored ones. */
  async update<T extends KubeObject>(resource: Resource<T>, object: T, rest: options.WriteOptions = {}): Promise<T> {
    const { namespace, name } = object.metadata ?? {};
    while (this.#calls.serialising.spent) await this.#calls.serialising.nextTurn();
    return await this.#calls.object<T>({
      method: "PUT",
      path: objectPath(resource, { namespace, name, subresource: rest.subresource }),
      query: writeQuery(rest),
      ...objectBody(withKind(resource, object), rest),
      resource,
      name,
      object: { namespace, name, subresource: rest.subresource },
      signal: rest.signal,
    });
  }

  /** Replaces an object's status. The server ignores everything else in `object` except metadata. */
  async updateStatus<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    rest: options.WriteOptions = {},
  ): Promise<T> {
    return await this.update(resource, object, { ...rest, subresource: "status" });
  }

  /** Changes parts of an object. */
  async patch<T extends KubeObject>(
    resource: Resource<T>,
    ref: options.ObjectRef,
    patchOptions: options.PatchOptions,
  ): Promise<T> {
    return await this.#calls.object<T>(patchCall(resource, ref, { patchOptions, accept: types.ACCEPT_JSON }));
  }

  /** Server-side apply: `object` holds exactly the fields that `fieldManager` wants to own. */
  async apply<T extends KubeObject>(resource: Resource<T>, object: T, rest: options.ApplyOptions): Promise<T> {
    const { namespace, name = "" } = object.metadata ?? {};
    const body = withKind<KubeObject>(resource, object);
    return await this.patch(resource, { namespace, name }, { ...rest, type: "apply", body });
  }

  /** Deletes one object, at once or when its last finalizer is removed. */
  async delete(
    resource: Resource,
    ref: options.ObjectRef,
    deleteOptions: options.DeleteObjectOptions = {},
  ): Promise<void> {
    await this.#calls.done(deleteCall(resource, ref, deleteOptions));
  }

  /**
   * Deletes one object and parses the answer.
   *
   * @returns The object's metadata if finalizers keep it, otherwise a Status of success.
   */
  async deleteAndRead(
    resource: Resource,
    ref: options.ObjectRef,
    deleteOptions: options.DeleteObjectOptions = {},
  ): Promise<KubeObject> {
    return await this.#calls.object<KubeObject>(deleteCall(resource, ref, deleteOptions));
  }

  /** Deletes all objects of a namespace, or those selected. */
  async deleteCollection(resource: Resource, deleteOptions: options.DeleteCollectionOptions = {}): Promise<void> {
    const { namespace, labelSelector, fieldSelector, signal } = deleteOptions;
    await this.#calls.done({
      method: "DELETE",
      path: collectionPath(resource, { namespace }),
      query: { labelSelector, fieldSelector },
      ...deleteBody(resource, deleteOptions),
      accept: types.ACCEPT_METADATA_LIST,
      isList: true,
      resource,
      signal,
    });
  }

  /** Reads one object's metadata. */
  async getMetadata(
    resource: Resource,
    ref: options.ObjectRef,
    { resourceVersion, signal }: options.GetOptions = {},
  ): Promise<options.PartialObjectMetadata> {
    const path = objectPath(resource, ref);
    const accept = types.ACCEPT_METADATA;
    const query = { resourceVersion };
    return toMetadata(
      await this.#calls.object({ method: "GET", path, query, accept, resource, name: ref.name, object: ref, signal }),
    );
  }

  /** Reads the metadata of many objects; one answer, which may be one page. */
  async listMetadata(
    resource: Resource,
    listOptions: options.ListOptions = {},
  ): Promise<options.ObjectList<options.PartialObjectMetadata>> {
    return toMetadataList(await this.#list(resource, listOptions, types.ACCEPT_METADATA_LIST));
  }

  /** Changes parts of an object but requests only its metadata in return. */
  async patchMetadata(
    resource: Resource,
    ref: options.ObjectRef,
    patchOptions: options.PatchOptions,
  ): Promise<options.PartialObjectMetadata> {
    return toMetadata(
      await this.#calls.object(patchCall(resource, ref, { patchOptions, accept: types.ACCEPT_METADATA })),
    );
  }

  /**
   * The bytes of a LIST, or of a WATCH when the query says `watch: true`. The signal ends the stream.
   *
   * @throws {StatusError} If the answer is not a success.
   * @throws {ConnectionError} If there was none, for a watch after retries a second apart. Upstream's client then fakes
   *   a watch that has already ended; here the caller can tell an unreachable server from one that answers.
   */
  async open(
    resource: Resource,
    query: Query,
    { namespace, metadataOnly, timeoutMs, signal }: options.OpenOptions = {},
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const isWatch = query.watch === true || query.watch === "true";
    const metadataType = isWatch ? types.ACCEPT_METADATA : types.ACCEPT_METADATA_LIST;
    return await this.#calls.open({
      method: "GET",
      path: collectionPath(resource, { namespace }),
      query,
      accept: metadataOnly ? metadataType : types.ACCEPT_STREAM,
      isLong: !isWatch,
      resource,
      isWatch,
      signal,
      timeoutMs,
    });
  }

  /** Any path, such as `/version`: JSON as such, any other body as text. */
  async request<T>(method: Call["method"], path: string, raw: options.RawRequestOptions = {}): Promise<T> {
    const { contentType, text } = await this.requestText(method, path, raw);
    return (/^application\/json\b/i.test(contentType) ? parseJson(text) : text) as T;
  }

  /** Any path, the answer unread. */
  requestText(
    method: Call["method"],
    path: string,
    { body, contentType, accept = types.ACCEPT_JSON, ...rest }: options.RawRequestOptions = {},
  ): Promise<options.RawAnswer> {
    const payload = body === undefined ? {} : jsonBody(body, contentType);
    return this.#calls.text({ ...rest, ...payload, method, path, accept });
  }

  async #list<T extends KubeObject>(
    resource: Resource<T>,
    { namespace, signal, ...query }: options.ListOptions,
    accept: string,
  ): Promise<options.ObjectList<T>> {
    const path = collectionPath(resource, { namespace });
    const list = await this.#calls.object<Partial<options.ObjectList<T>>>({
      method: "GET",
      path,
      query: { ...query, limit: query.limit || undefined },
      accept,
      isList: true,
      resource,
      signal,
    });
    return { ...list, metadata: list.metadata ?? {}, items: list.items ?? [] };
  }
}

function writeQuery({ fieldManager, dryRun }: options.WriteOptions): Query {
  return { fieldManager, dryRun: dryRun ? "All" : undefined };
}

function deleteCall(
  resource: Resource,
  ref: options.ObjectRef,
  deleteOptions: options.DeleteObjectOptions,
): Call {
  return {
    method: "DELETE",
    path: objectPath(resource, ref),
    ...deleteBody(resource, deleteOptions),
    accept: types.ACCEPT_METADATA,
    resource,
    name: ref.name,
    signal: deleteOptions.signal,
  };
}

function patchCall(
  resource: Resource,
  ref: options.ObjectRef,
  { patchOptions, accept }: { readonly patchOptions: options.PatchOptions; readonly accept: string },
): Call {
  const { type, body, force, subresource, signal } = patchOptions;
  if (type === "apply" && !patchOptions.fieldManager) {
    throw new TypeError(`Cannot apply ${resource.plural} "${ref.name}": fieldManager may not be empty`);
  }
  return {
    method: "PATCH",
    path: objectPath(resource, { ...ref, subresource }),
    query: { ...writeQuery(patchOptions), force: type === "apply" ? force : undefined },
    ...jsonBody(body, types.PATCH_TYPES[type]),
    accept,
    resource,
    name: ref.name,
    object: { ...ref, subresource },
    signal,
  };
}
