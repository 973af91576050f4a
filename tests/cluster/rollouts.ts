/** Deployments that come, change and go, and an account of what a manager must have made of them. */
import { assertEquals } from "@std/assert";
import { DEPLOYMENTS, PODS, REPLICASETS } from "../../src/api/mod.ts";
import { eventually } from "../controlplane/process.ts";
import type { AuditedRequest } from "../controlplane/audit_log.ts";
import { deployment, isRolledOut, type Kit } from "../scenarios/kit.ts";

const EVERY_MS = 500;
/** With more of them the oldest is deleted. */
const MOST = 30;
const FIRST_REPLICAS = 2;

/** What is wanted of one Deployment. */
interface Wanted {
  /** Replicas by image: each image has a ReplicaSet, which makes so many pods in all, and no more. */
  readonly pods: Map<string, number>;
  image: string;
  step: "new" | "changed" | "deleted";
}

/**
 * Makes Deployments in a namespace; those that are complete it scales up, or gives a new image, and deletes in the end.
 *
 * A Deployment is changed only when it is complete: so each of its ReplicaSets has made as many pods as it ever wanted, and how
 * many there must be is known exactly, whatever happened to the manager in between.
 */
export class Rollouts implements AsyncDisposable {
  readonly #kit: Kit;
  readonly #wanted = new Map<string, Wanted>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(kit: Kit) {
    this.#kit = kit;
    this.#running = this.#run();
  }

  get count(): number {
    return this.#wanted.size;
  }

  /** Makes no more changes. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Waits until what is there is what is wanted: no event was missed. */
  async converged(): Promise<void> {
    const here = [...this.#wanted].filter(([, { step }]) => step !== "deleted");
    const kit = this.#kit;
    await kit.untilAll(
      DEPLOYMENTS,
      "all are rolled out",
      (all) => all.length === here.length && all.every((each) => isRolledOut(each)),
    );
    await kit.settled();
    const pods = new Map<string, number>();
    await eventually("pods are those of the Deployments", async () => {
      pods.clear();
      for (const { metadata, spec } of await kit.list(PODS)) {
        const key = `${metadata?.labels?.app} ${spec?.containers?.[0].image}`;
        pods.set(key, (pods.get(key) ?? 0) + 1);
      }
      assertEquals(pods, new Map(here.map(([name, { image, pods }]) => [`${name} ${image}`, pods.get(image)!])));
      return true;
    }, { withinMs: 90_000 });
    const names = new Set(here.map(([name]) => name));
    await kit.untilAll(
      REPLICASETS,
      "are those of the Deployments",
      (sets) => sets.every(({ metadata }) => names.has(metadata!.labels!.app)),
    );
  }

  /**
   * That by the audit log every ReplicaSet and every pod was made once while its Deployment was there. A manager may hear that
   * a ReplicaSet was collected before it hears that its Deployment was deleted, since these are two watches, and make it again;
   * {@link converged} has seen that such a one does not stay.
   */
  assertMadeOnce(requests: readonly AuditedRequest[]): void {
    const made = { pods: new Made(), replicasets: new Made() };
    const deletedMs = new Map(
      requests.filter(({ verb, resource, namespace, code }) =>
        verb === "delete" && resource === "deployments" && namespace === this.#kit.namespace && code === 200
      ).map(({ name, receivedMs }) => [name, receivedMs]),
    );
    for (const { verb, resource, namespace, code, object, receivedMs } of requests) {
      if (verb !== "create" || namespace !== this.#kit.namespace || !object) continue;
      if (receivedMs > (deletedMs.get(templateOf(object).split(" ")[0]) ?? Infinity)) continue;
      if (resource === "pods" || resource === "replicasets") made[resource].count(templateOf(object), code);
    }
    const wanted = new Map(
      [...this.#wanted].flatMap(([name, { pods }]) => [...pods].map(([image, count]) => [`${name} ${image}`, count])),
    );
    const once = new Map([...wanted.keys()].map((key) => [key, 1]));
    for (const [resource, count] of [["pods", wanted], ["replicasets", once]] as const) {
      const wrong = made[resource].differences(count);
      const stories = wrong.map((line) => this.#story(line.split(" ")[0], requests)).join("\n\n");
      assertEquals(wrong, [], `${resource}, by Deployment and image:\n${stories}`);
    }
  }

  /** What was done to a Deployment, its ReplicaSets and its pods, by whom and when; without what is said of their status. */
  #story(deployment: string, requests: readonly AuditedRequest[]): string {
    return requests.filter(({ namespace, name, resource, object }) =>
      namespace === this.#kit.namespace && !resource.endsWith("/status") && resource !== "events" &&
      `${name || object?.metadata?.generateName}-`.startsWith(`${deployment}-`)
    ).map(({ receivedMs, actor, verb, resource, name, code }) =>
      `${new Date(receivedMs).toISOString()} ${actor} ${verb} ${resource} ${name} ${code}`
    ).join("\n");
  }

  async #run(): Promise<void> {
    for (let i = 0; !this.#stop.signal.aborted; i++) {
      await this.#create(`web-${i}`, `nginx:${i % 3}`);
      if (i % 2 === 0) await this.#changeOne();
      if (this.#count("new") + this.#count("changed") > MOST) await this.#deleteOne();
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }

  async #create(name: string, image: string): Promise<void> {
    this.#wanted.set(name, { image, pods: new Map([[image, FIRST_REPLICAS]]), step: "new" });
    await this.#kit.create(DEPLOYMENTS, deployment(name, { replicas: FIRST_REPLICAS, image }));
  }

  /** Scales up, or rolls out another image. */
  async #changeOne(): Promise<void> {
    const [name, wanted] = await this.#complete("new") ?? [];
    if (!name || !wanted) return;
    wanted.step = "changed";
    if (this.#count("changed") % 2 === 0) {
      wanted.pods.set(wanted.image, FIRST_REPLICAS + 2);
      await this.#kit.merge(DEPLOYMENTS, name, { spec: { replicas: FIRST_REPLICAS + 2 } });
      return;
    }
    wanted.image = `${wanted.image}-next`;
    wanted.pods.set(wanted.image, FIRST_REPLICAS);
    const containers = [{ name: "c", image: wanted.image }];
    await this.#kit.merge(DEPLOYMENTS, name, { spec: { template: { spec: { containers } } } });
  }

  async #deleteOne(): Promise<void> {
    const [name, wanted] = await this.#complete("changed") ?? [];
    if (!name || !wanted) return;
    wanted.step = "deleted";
    await this.#kit.delete(DEPLOYMENTS, name, "Background");
  }

  /** The oldest in a step, if it is complete. */
  async #complete(step: Wanted["step"]): Promise<[string, Wanted] | undefined> {
    const found = [...this.#wanted].find(([, wanted]) => wanted.step === step);
    return found && isRolledOut(await this.#kit.get(DEPLOYMENTS, found[0])) ? found : undefined;
  }

  #count(step: Wanted["step"]): number {
    return [...this.#wanted.values()].filter((wanted) => wanted.step === step).length;
  }
}

/** How many objects were made, by what they are of. */
class Made {
  readonly #made = new Map<string, number>();
  /** Requests whose sender was ended before the answer, which may have made one. */
  readonly #cut = new Map<string, number>();

  count(key: string, code: number): void {
    if (code >= 400 && code < 499) return;
    const counts = code === 201 ? this.#made : this.#cut;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }

  /** Where there were too many, too few, or some that nobody wanted. */
  differences(wanted: ReadonlyMap<string, number>): string[] {
    return [...new Set([...wanted.keys(), ...this.#made.keys()])].flatMap((key) => {
      const [want, made, cut] = [wanted, this.#made, this.#cut].map((counts) => counts.get(key) ?? 0);
      return made <= want && want <= made + cut ? [] : [`${key}: ${made} made, ${cut} cut, ${want} wanted`];
    });
  }
}

/** The label and the image of a pod, or of a ReplicaSet's pods. */
function templateOf({ metadata, spec }: NonNullable<AuditedRequest["object"]>): string {
  const pod = spec && "template" in spec ? spec.template : { metadata, spec };
  const containers = pod?.spec && "containers" in pod.spec ? pod.spec.containers : undefined;
  return `${pod?.metadata?.labels?.app} ${containers?.[0].image}`;
}
