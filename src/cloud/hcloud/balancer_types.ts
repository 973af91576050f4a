import type { Clock } from "../../base/mod.ts";
import { parseTime } from "../../api/mod.ts";
import { CloudError } from "../errors.ts";
import type { Answer } from "./answers.ts";
import type { HcloudApi } from "./api.ts";

const MAX_AGE_MS = 3_600_000;

/** An available kind of load balancer. */
export interface BalancerType {
  readonly id: number;
  readonly name: string;
  /** When it will stop being available; absent unless announced. */
  readonly unavailableAfter?: string;
}

/** The kinds of load balancers, read once an hour. */
export class BalancerTypes {
  readonly #api: HcloudApi;
  readonly #clock: Clock;
  #last: { readonly types: readonly BalancerType[]; readonly atMs: number } | undefined;

  constructor(api: HcloudApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /**
   * @param warn Called if it will soon be unavailable.
   * @throws {CloudError} If there is none of that name, or it is no longer available.
   */
  async called(name: string, warn: (message: string) => void, signal: AbortSignal): Promise<BalancerType> {
    const nowMs = this.#clock.monotonicMs();
    if (!this.#last || nowMs - this.#last.atMs > MAX_AGE_MS || !this.#last.types.some((type) => type.name === name)) {
      const { value } = await this.#api.list("load_balancer_types", {}, signal);
      this.#last = { types: value.map(readType), atMs: nowMs };
    }
    const type = this.#last.types.find((type) => type.name === name);
    if (!type) throw new CloudError(`load balancer type not found: ${name}`);
    if (type.unavailableAfter === undefined) return type;
    const what = `Load Balancer Type ${JSON.stringify(name)} is`;
    if (this.#clock.wallMs() > parseTime(type.unavailableAfter)) {
      throw new CloudError(`${what} unavailable and can no longer be ordered`);
    }
    warn(`${what} deprecated and will no longer be available for order as of ${type.unavailableAfter.slice(0, 10)}`);
    return type;
  }
}

function readType(answer: Answer): BalancerType {
  const deprecation = answer.objectIfAny("deprecation");
  return {
    id: answer.id("id"),
    name: answer.text("name"),
    ...deprecation && { unavailableAfter: deprecation.text("unavailable_after") },
  };
}
