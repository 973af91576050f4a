import { sleep, type World } from "../../base/mod.ts";
import { CloudError } from "../errors.ts";
import { actionDone } from "./actions.ts";
import { HcloudAnswerError } from "./answers.ts";
import type { HcloudApi } from "./api.ts";
import { type Balancer, readBalancer, SERVICE_UID_LABEL } from "./balancer.ts";
import { isBusy } from "./failures.ts";

/** The delay before an action blocked by another one is retried, in milliseconds. */
const BUSY_RETRY_MS = 1000;
const BUSY_TRIES = 2;

/** The API's load balancer calls. Each write returns when the cloud has finished it. */
export class BalancerApi {
  readonly #api: HcloudApi;
  readonly #world: World;

  constructor(api: HcloudApi, world: World) {
    this.#api = api;
    this.#world = world;
  }

  /**
   * The load balancer with a Service's label.
   *
   * @throws {CloudError} If there are several.
   */
  async byUid(uid: string, signal: AbortSignal): Promise<Balancer | undefined> {
    const { value } = await this.#api.list("load_balancers", { label_selector: `${SERVICE_UID_LABEL}=${uid}` }, signal);
    const balancers = value.map(readBalancer);
    if (balancers.some(({ labels }) => labels[SERVICE_UID_LABEL] !== uid)) {
      throw new HcloudAnswerError(
        "cannot use the answer of the Hetzner Cloud API: it lists load balancers of other labels",
      );
    }
    if (balancers.length > 1) {
      const ids = balancers.map(({ id }) => id).join(", ");
      throw new CloudError(
        `load balancers ${ids} all have the label ${SERVICE_UID_LABEL}=${uid}: remove it from all but one`,
      );
    }
    return balancers[0];
  }

  async byName(name: string, signal: AbortSignal): Promise<Balancer | undefined> {
    if (name === "") return undefined;
    const { value } = await this.#api.list("load_balancers", { name }, signal);
    return value.map(readBalancer).find((balancer) => balancer.name === name);
  }

  async byId(id: number, signal: AbortSignal): Promise<Balancer> {
    const balancer = readBalancer((await this.#api.get(`/load_balancers/${id}`, signal)).object("load_balancer"));
    if (balancer.id !== id) throw new HcloudAnswerError(`GET /load_balancers/${id} shows load balancer ${balancer.id}`);
    return balancer;
  }

  /** @returns The ID of the new load balancer. */
  async create(body: object, signal: AbortSignal): Promise<number> {
    const answer = await this.#api.send("POST", "/load_balancers", body, signal);
    await actionDone(this.#api, this.#world, answer, signal);
    return answer.object("load_balancer").id("id");
  }

  /** Changes the name or the labels. */
  async update(id: number, body: object, signal: AbortSignal): Promise<void> {
    await this.#api.send("PUT", `/load_balancers/${id}`, body, signal);
  }

  /** Runs an action such as `add_target`; retries once if the load balancer is busy. */
  async act(id: number, action: string, body: object | undefined, signal: AbortSignal): Promise<void> {
    for (let tries = 1;; tries++) {
      try {
        const answer = await this.#api.send("POST", `/load_balancers/${id}/actions/${action}`, body, signal);
        return await actionDone(this.#api, this.#world, answer, signal);
      } catch (error) {
        if (!isBusy(error) || tries === BUSY_TRIES) throw error;
        await sleep(this.#world.clock, BUSY_RETRY_MS, signal);
      }
    }
  }

  async delete(id: number, signal: AbortSignal): Promise<void> {
    await this.#api.delete(`/load_balancers/${id}`, signal);
  }
}
