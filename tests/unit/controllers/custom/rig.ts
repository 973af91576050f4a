import { FakeWorld, settle } from "../../../../src/base/mod.ts";
import {
  apiVersionOf,
  CONFIGMAPS,
  groupResource,
  type KubeObject,
  newControllerRef,
  type OwnerReference,
  type Resource,
  SECRETS,
} from "../../../../src/api/mod.ts";
import { InformerFactory } from "../../../../src/cache/mod.ts";
import type { Client, ObjectRef } from "../../../../src/client/mod.ts";
import { type ControllerDescriptor, defineResource } from "../../../../src/controllers/mod.ts";
import { ManualSource } from "../../cache/fixtures.ts";
import { fakeContext } from "../context.ts";
import { FakeRecorder } from "../fake_recorder.ts";

export interface Site extends KubeObject {
  spec?: { title: string };
  status?: { phase?: string; why?: string; conditions?: { type: string; message?: string }[] };
}
export const SITES = defineResource<Site>({ group: "example.com", version: "v1", kind: "Site" });
/** The same kind in the cluster's scope. */
export const REALMS = defineResource<Site>({ group: "example.com", version: "v1", kind: "Realm", namespaced: false });
const SERVED: readonly Resource[] = [SITES, REALMS, CONFIGMAPS, SECRETS];

export function site(name: string, metadata: KubeObject["metadata"] = {}, rest: Partial<Site> = {}): Site {
  return { metadata: { namespace: "a", name, uid: `uid-${name}`, ...metadata }, ...rest };
}

export function realm(name: string): Site {
  return { metadata: { name, uid: `uid-${name}` } };
}

/** The reference by which `owner` controls its children. */
export function controlledBy(owner: KubeObject, resource: Resource = SITES): { ownerReferences: OwnerReference[] } {
  return { ownerReferences: [newControllerRef(owner, resource)] };
}

export function configMap(name: string, metadata: KubeObject["metadata"] = {}): KubeObject {
  return { metadata: { namespace: "a", name, uid: `uid-${name}`, ...metadata } };
}

/** A controller of one's own at work in a fake world, its caches fed by the test, its writes recorded. */
export class CustomRig implements AsyncDisposable {
  readonly world = new FakeWorld();
  readonly recorder = new FakeRecorder();
  /** `apply configmaps a/x`, `patch:merge sites/status a/x`; each with its body. */
  readonly writes: { readonly text: string; readonly body: unknown }[] = [];
  readonly #sources = new Map(SERVED.map((resource) => [groupResource(resource), new ManualSource()]));
  readonly #informers: InformerFactory;
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #version = 1;

  constructor() {
    const source = (resource: Resource) => this.#sources.get(groupResource(resource))!;
    this.#informers = new InformerFactory({ world: this.world, client: this.#client(), source });
  }

  /** Starts the controller; the caches hold `objects`, or stay unsynced without them. */
  async start(descriptor: ControllerDescriptor, objects?: readonly (readonly [Resource, KubeObject])[]): Promise<void> {
    const context = fakeContext({ world: this.world, client: this.#client(), informers: [] });
    const recorder = () => this.recorder;
    const built = await descriptor.build({ ...context, informers: this.#informers, recorder }, {});
    this.#informers.start(this.#stop.signal);
    this.#running = built!.run(this.#stop.signal);
    await settle();
    if (objects) await this.sync(objects);
  }

  async sync(objects: readonly (readonly [Resource, KubeObject])[] = []): Promise<void> {
    for (const { resource } of this.#informers.informers) {
      const own = objects.filter(([of]) => of === resource).map(([, object]) => this.#stored(resource, object));
      await this.#sources.get(groupResource(resource))!.list(own, ++this.#version);
    }
    await settle();
  }

  /** What a watch brings. */
  async event(type: "ADDED" | "MODIFIED" | "DELETED", resource: Resource, object: KubeObject): Promise<void> {
    await this.#sources.get(groupResource(resource))!.events([type, this.#stored(resource, object)]);
    await settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#informers.shutdown();
  }

  #stored(resource: Resource, object: KubeObject): KubeObject {
    const metadata = { ...object.metadata, resourceVersion: String(++this.#version) };
    return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
  }

  #client(): Client {
    const write = <T>(text: string, body: T): Promise<T> => {
      this.writes.push({ text, body });
      return Promise.resolve(body);
    };
    const client = {
      apply: (resource: Resource, { metadata, ...rest }: KubeObject, options: unknown) =>
        write(`apply ${resource.plural} ${metadata?.namespace ?? ""}/${metadata?.name}`, {
          ...rest,
          metadata,
          options,
        }),
      patch: (
        resource: Resource,
        { namespace, name }: ObjectRef,
        { type, subresource, body }: { type: string; subresource: string; body: unknown },
      ) => write(`patch:${type} ${resource.plural}/${subresource} ${namespace ?? ""}/${name}`, body),
    };
    return client as unknown as Client; // what a reconcile context writes with
  }
}
