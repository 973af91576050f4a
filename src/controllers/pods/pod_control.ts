import { errorText } from "../../base/mod.ts";
import {
  isDns1123Subdomain,
  type KubeObject,
  type OwnerReference,
  type Pod,
  PODS,
  type PodTemplateSpec,
} from "../../api/mod.ts";
import { type Client, isNamespaceTerminating, isNotFound } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import { serverSays } from "../running/mod.ts";

/** The requests that pod control makes. */
export type PodControlClient = Pick<Client, "createMetadata" | "delete">;

/** What a pod is made from. */
export interface PodCreation {
  readonly namespace: string | undefined;
  readonly template: PodTemplateSpec | undefined;
  /** The object that gets the event, and whose name starts the pod's name. */
  readonly parent: KubeObject;
  readonly controllerRef: OwnerReference;
  /** Default: the parent's name and a dash. */
  readonly generateName?: string;
}

/**
 * The only way in which controllers create and delete pods: with the right owner, labels and events.
 * Upstream: `pkg/controller/controller_utils.go` (RealPodControl).
 */
export class PodControl {
  readonly #client: PodControlClient;
  readonly #recorder: EventRecorder;

  /** @param options.recorder Records the parent's events. */
  constructor({ client, recorder }: { client: PodControlClient; recorder: EventRecorder }) {
    this.#client = client;
    this.#recorder = recorder;
  }

  /**
   * Creates a pod and records an event on the parent.
   *
   * @returns The pod's metadata.
   *
   * @throws {Error} If the template has no labels, or the controller reference is incomplete; nothing is sent then.
   * @throws {StatusError} The API server's answer. There is no event if the namespace is being deleted.
   */
  async create(creation: PodCreation): Promise<KubeObject> {
    const pod = podFromTemplate(creation);
    try {
      const created = await this.#client.createMetadata(PODS, pod);
      this.#recorder.event(creation.parent, "Normal", "SuccessfulCreate", `Created pod: ${created.metadata?.name}`);
      return created;
    } catch (error) {
      if (!serverSays(error, isNamespaceTerminating)) {
        this.#recorder.event(creation.parent, "Warning", "FailedCreate", `Error creating: ${errorText(error)}`);
      }
      throw error;
    }
  }

  /**
   * Deletes a pod and records an event on the parent.
   *
   * @throws {StatusError} Without an event, if the pod does not exist.
   * @throws {Error} `unable to delete pods: ...` for every other failure.
   */
  async delete(pod: { namespace?: string; name: string }, parent: KubeObject): Promise<void> {
    try {
      await this.#client.delete(PODS, pod);
    } catch (error) {
      if (serverSays(error, isNotFound)) throw error;
      this.#recorder.event(parent, "Warning", "FailedDelete", `Error deleting: ${errorText(error)}`);
      throw new Error(`unable to delete pods: ${errorText(error)}`, { cause: error });
    }
    this.#recorder.event(parent, "Normal", "SuccessfulDelete", `Deleted pod: ${pod.name}`);
  }
}

/**
 * The pod to create from a template: the template's labels, annotations, finalizers and spec, and nothing else.
 *
 * @throws {Error} `unable to create pods, no labels`, or what is missing in the controller reference.
 */
export function podFromTemplate({ namespace, template, parent, controllerRef, generateName }: PodCreation): Pod {
  for (const field of ["apiVersion", "kind", "name", "uid"] as const) {
    if (!controllerRef[field]) throw new Error(`unable to create pods, controllerRef has empty ${field}`);
  }
  if (!controllerRef.controller) throw new Error("unable to create pods, controllerRef.controller is not set to true");
  if (!controllerRef.blockOwnerDeletion) {
    throw new Error("unable to create pods, controllerRef.blockOwnerDeletion is not set");
  }
  const { labels = {}, annotations, finalizers } = template?.metadata ?? {};
  if (Object.keys(labels).length === 0) throw new Error("unable to create pods, no labels");
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace,
      generateName: generateName ?? podNamePrefix(parent.metadata?.name ?? ""),
      labels,
      annotations,
      finalizers,
      ownerReferences: [controllerRef],
    },
    spec: template?.spec,
  };
}

/** The parent's name and a dash, or without the dash if only that makes valid names. */
export function podNamePrefix(parentName: string): string {
  // A prefix may end in a dash: the characters that follow will make it valid.
  return isDns1123Subdomain(`${parentName.slice(0, -1)}a`) ? `${parentName}-` : parentName;
}
