import { Deferred } from "../base/mod.ts";
import type { Transport } from "../client/mod.ts";

/** On which side of a write a process dies: before the server hears of it, or when it has been stored and before the answer. */
export type CrashMoment = "before" | "after";

/** What a {@link Lifeline} is made of. */
export interface LifelineOptions {
  /** Asked once about each write before it is passed on: whether the process dies of it, and on which side. */
  readonly deathBy?: (request: Request) => CrashMoment | undefined;
}

/**
 * What connects a process to its API server, and is cut when the process dies.
 *
 * Contract:
 * 1. Once it is cut no request gets through and no answer comes back, not to requests under way either.
 * 2. A process that dies `before` a write leaves exactly the writes stored that had got through earlier.
 * 3. One that dies `after` a write leaves that write stored besides, and none that it sent later.
 *
 * @example A process that dies before its second write
 * ```ts
 * import { Lifeline } from "./mod.ts";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const lifeline = new Lifeline({ deathBy: ({ url }) => url.endsWith("/b") ? "before" : undefined });
 * const served: string[] = [];
 * const send = lifeline.around((request) => Promise.resolve(new Response(`${served.push(request.url)}`)));
 * await send(new Request("http://server/a", { method: "POST" }));
 * await assertRejects(() => send(new Request("http://server/b", { method: "POST" })), TypeError, "died");
 * await lifeline.whenCut;
 * assertEquals(served, ["http://server/a"]);
 * ```
 */
export class Lifeline {
  readonly #deathBy: (request: Request) => CrashMoment | undefined;
  readonly #cut = new Deferred();
  #isDying = false;
  #writes = 0;

  constructor({ deathBy = () => undefined }: LifelineOptions = {}) {
    this.#deathBy = deathBy;
  }

  /** Resolves when it is cut. */
  get whenCut(): Promise<void> {
    return this.#cut.promise;
  }

  get isCut(): boolean {
    return this.#cut.settled;
  }

  /** Requests to change something that got through. */
  get writes(): number {
    return this.#writes;
  }

  cut(): void {
    this.#cut.resolve();
  }

  /** Connects through `transport`. */
  around(transport: Transport): Transport {
    return async (request) => {
      const moment = this.#isDying || this.isCut ? "before" : this.#judge(request);
      if (moment === "before") {
        await this.whenCut;
        throw gone(request);
      }
      try {
        const response = await transport(request);
        if (moment === undefined && !this.isCut) return response;
        await response.body?.cancel();
      } finally {
        if (moment === "after") this.cut();
      }
      throw gone(request);
    };
  }

  #judge(request: Request): CrashMoment | undefined {
    if (request.method === "GET") return undefined;
    const moment = this.#deathBy(request);
    if (moment === "before") this.cut();
    else this.#writes++;
    this.#isDying = moment !== undefined;
    return moment;
  }
}

function gone({ method, url }: Request): TypeError {
  return new TypeError(`${method} ${new URL(url).pathname}: the process that asked has died`);
}
