/** kubeloop as a process that is killed at chosen writes and started again, behind a proxy through which all its requests go. */
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { loadClientConfig, type Transport, transportOf } from "../../src/client/mod.ts";
import { type CrashMoment, Lifeline } from "../../src/embedded/mod.ts";
import type { ControlPlane } from "./control_plane.ts";
import { startManager } from "./manager.ts";
import type { Process } from "./process.ts";

/** A request of a manager to change something. */
export interface ManagerWrite {
  readonly method: string;
  /** Empty for what is in none. */
  readonly namespace: string;
  /** Empty where the request does not say it in its path. */
  readonly name: string;
  /** `pods`, `jobs`. */
  readonly plural: string;
}

export interface CrashingManagerOptions {
  readonly plane: ControlPlane;
  readonly flags: readonly string[];
  /** Asked about each write before it is passed on: whether the manager is killed before or after it is stored. */
  readonly deathBy: (write: ManagerWrite) => CrashMoment | undefined;
}

const RESOURCE = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/([^/]+)\/)?([^/]+)(?:\/([^/]+))?/;
/** What is between two ends of a connection only. */
const HOP_HEADERS = ["host", "connection", "content-length", "accept-encoding", "transfer-encoding"];

/**
 * A manager that is killed and started again until it is disposed of.
 *
 * It takes part in no election: nobody else asks for the lease, and the next process would only wait.
 */
export class CrashingManager implements AsyncDisposable {
  readonly #options: CrashingManagerOptions;
  readonly #stop = Promise.withResolvers<void>();
  readonly #running: Promise<void>;
  readonly #created = new Map<string, Record<string, number>>();
  readonly #underWay = new Set<Promise<Response>>();
  #kills = 0;
  #lastWriteMs = performance.now();

  constructor(options: CrashingManagerOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** How often it was killed. */
  get kills(): number {
    return this.#kills;
  }

  /** For how long nothing was written. */
  get quietMs(): number {
    return performance.now() - this.#lastWriteMs;
  }

  /** How many objects of each kind were made in a namespace, those included that are gone; events are not counted. */
  created(namespace: string): Readonly<Record<string, number>> {
    return this.#created.get(namespace) ?? {};
  }

  /** Rejects if the manager ends by itself, and as soon as that. */
  get failed(): Promise<never> {
    return this.#running.then(() => new Promise<never>(() => {}));
  }

  /** Kills it for good. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.resolve();
    // Why it ended by itself is told by `failed`.
    await this.#running.catch(() => {});
  }

  async #run(): Promise<void> {
    const { plane } = this.#options;
    const world = systemWorld(new MemoryLogger());
    const direct = transportOf(world, await loadClientConfig(world, { kubeconfig: plane.kubeconfig }));
    for (let isStopped = false; !isStopped;) {
      const lifeline = new Lifeline({ deathBy: (request) => this.#judge(request) });
      const send = lifeline.around(this.#noting(direct));
      const died = Promise.withResolvers<void>();
      await using server = new ProxyServer(async (request) => {
        try {
          return await send(await onward(request, plane.server));
        } catch (error) {
          // Who has died gets no answer.
          if (lifeline.isCut) await died.promise;
          return new Response((error as Error).message, { status: 502 });
        }
      });
      const process = await this.#start(server.port);
      isStopped = await Promise.race([
        this.#stop.promise.then(() => true),
        lifeline.whenCut.then(() => false),
        process.exited.then(({ code }) => {
          throw new Error(`The manager ended by itself with ${code}: ${process.output.slice(-3000)}`);
        }),
      ]);
      lifeline.cut();
      await process.stop({ signal: "SIGKILL" });
      died.resolve();
      // The next one would wait for the lease, and find stored what this one had sent.
      await Promise.allSettled(this.#underWay);
      if (!isStopped) this.#kills++;
    }
  }

  async #start(port: number): Promise<Process> {
    const { plane, flags } = this.#options;
    const user = await plane.authority.client("crashing");
    const kubeconfig = await plane.writeKubeconfig("crashing", { user, server: `http://127.0.0.1:${port}` });
    const options = { kubeconfig, flags: [...flags, "--leader-elect=false"], waitForLease: false };
    return (await startManager(plane, "kubeloop", options)).process;
  }

  #judge(request: Request): CrashMoment | undefined {
    const write = writeOf(request);
    if (!write) return undefined;
    this.#lastWriteMs = performance.now();
    return this.#options.deathBy(write);
  }

  #noting(direct: Transport): Transport {
    return async (request) => {
      const write = writeOf(request);
      const answer = direct(request);
      if (!write) return await answer;
      this.#underWay.add(answer);
      const response = await answer.finally(() => this.#underWay.delete(answer));
      if (request.method === "POST" && response.status === 201 && write.plural !== "events") {
        const counts = this.#created.get(write.namespace) ?? {};
        counts[write.plural] = (counts[write.plural] ?? 0) + 1;
        this.#created.set(write.namespace, counts);
      }
      return response;
    };
  }
}

/** Serves a handler on a free port; when it is disposed of, all its connections are gone. */
class ProxyServer implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(handler: (request: Request) => Promise<Response>) {
    const { signal } = this.#stop;
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, signal, onListen: () => {} }, handler);
  }

  get port(): number {
    return this.#server.addr.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#server.finished;
  }
}

function writeOf({ method, url }: Request): ManagerWrite | undefined {
  const [, namespace = "", plural, name = ""] = RESOURCE.exec(new URL(url).pathname) ?? [];
  return method === "GET" || plural === undefined ? undefined : { method, namespace, plural, name };
}

async function onward(request: Request, server: string): Promise<Request> {
  const { pathname, search } = new URL(request.url);
  const headers = new Headers(request.headers);
  for (const name of HOP_HEADERS) headers.delete(name);
  const body = request.body === null ? undefined : await request.text();
  return new Request(`${server}${pathname}${search}`, { method: request.method, headers, body });
}
