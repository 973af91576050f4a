import type { Pod } from "../../api/mod.ts";
import { type Clock, TurnBudget } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { secretsOf } from "./pod_secrets.ts";

/** Which Secrets the pods of a namespace mention, computed on first use. For one pass. */
export class Mentions {
  readonly #pods: Pick<Lister<Pod>, "list">;
  readonly #budget: TurnBudget;
  readonly #byNamespace = new Map<string, ReadonlySet<string>>();

  constructor(pods: Pick<Lister<Pod>, "list">, clock: Clock) {
    this.#pods = pods;
    this.#budget = new TurnBudget(clock);
  }

  async has(namespace: string, secret: string): Promise<boolean> {
    let names = this.#byNamespace.get(namespace);
    if (!names) this.#byNamespace.set(namespace, names = await this.#budget.run(this.#namesIn(namespace)));
    return names.has(secret);
  }

  *#namesIn(namespace: string): Generator<void, ReadonlySet<string>> {
    const names = new Set<string>();
    for (const pod of this.#pods.list({ namespace })) {
      for (const name of secretsOf(pod)) names.add(name);
      yield;
    }
    return names;
  }
}
