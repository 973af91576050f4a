import { Deferred } from "../base/mod.ts";
import type { Transport } from "../client/mod.ts";
import {
  callCloud,
  type CloudCall,
  CloudError,
  type CloudProvider,
  describe,
  mayChange,
  providerBehind,
} from "../cloud/mod.ts";

/** When a process dies relative to a write: before the server gets it, or after it is stored but before the answer. */
export type CrashMoment = "before" | "after";

/** Options of {@link Lifeline}. */
export interface LifelineOptions {
  /** Called once for each write before it is sent: whether and when the process dies. */
  readonly deathBy?: (request: Request) => CrashMoment | undefined;
  /** The same for calls that may change the cloud. */
  readonly deathByCall?: (call: CloudCall) => CrashMoment | undefined;
}

/**
 * A process's connection to its API server and cloud, which is cut when the process dies. Calls that may change the
 * cloud count as writes.
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
  readonly #deathByCall: (call: CloudCall) => CrashMoment | undefined;
  readonly #cut = new Deferred();
  #isDying = false;
  #writes = 0;

  constructor({ deathBy = () => undefined, deathByCall = () => undefined }: LifelineOptions = {}) {
    this.#deathBy = deathBy;
    this.#deathByCall = deathByCall;
  }

  /** Resolves when it is cut. */
  get whenCut(): Promise<void> {
    return this.#cut.promise;
  }

  get isCut(): boolean {
    return this.#cut.settled;
  }

  /** The number of writes that got through, to the cluster or the cloud. */
  get writes(): number {
    return this.#writes;
  }

  cut(): void {
    this.#cut.resolve();
  }

  /** Connects through `transport`. */
  around(transport: Transport): Transport {
    return async (request) => {
      const judge = () => request.method === "GET" ? undefined : this.#judge(() => this.#deathBy(request));
      const moment = this.#isDying || this.isCut ? "before" : judge();
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

  /** Connects to the cloud through `provider`. */
  aroundCloud(provider: CloudProvider): CloudProvider {
    return providerBehind(describe(provider), async (call, signal) => {
      const judge = () => mayChange(call) ? this.#judge(() => this.#deathByCall(call)) : undefined;
      const moment = this.#isDying || this.isCut ? "before" : judge();
      try {
        if (moment === "before") await this.whenCut;
        else {
          const answer = await callCloud(provider, call, signal);
          if (moment === undefined && !this.isCut) return answer;
        }
      } finally {
        if (moment === "after") this.cut();
      }
      throw new CloudError(`${call.method}: the process that asked has died`);
    });
  }

  /** Whether and when the process dies at a write. */
  #judge(ask: () => CrashMoment | undefined): CrashMoment | undefined {
    const moment = ask();
    if (moment === "before") this.cut();
    else this.#writes++;
    this.#isDying = moment !== undefined;
    return moment;
  }
}

function gone({ method, url }: Request): TypeError {
  return new TypeError(`${method} ${new URL(url).pathname}: the process that asked has died`);
}
