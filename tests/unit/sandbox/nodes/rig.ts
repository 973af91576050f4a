import { assertEquals } from "@std/assert";
import { Client } from "../../../../src/client/mod.ts";
import { NodeSimulator, type NodeSimulatorOptions } from "../../../../src/sandbox/mod.ts";
import { Harness, type Loose, PODS } from "../apiserver/harness.ts";

/** A server with simulated nodes that run until the end of the test. */
export class NodesRig implements AsyncDisposable {
  readonly api = new Harness();
  readonly simulator: NodeSimulator;
  readonly client: Client;
  /** What the simulator wrote: `METHOD path`, and the body of deletions. */
  readonly writes: string[] = [];
  /** Of the simulator's requests about pods, the most that were under way at once: in all, and about one of them. */
  readonly mostAtOnce = { ofAll: 0, ofOne: 0 };
  /** Paths that the simulator read. */
  readonly reads: string[] = [];
  /** What a read waits for before it is answered. */
  beforeRead: (path: string) => Promise<void> | undefined = () => undefined;
  readonly #underWay: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  private constructor(options: Partial<NodeSimulatorOptions>) {
    const { world, server } = this.api;
    const transport = async (request: Request) => {
      const { method, url } = request;
      const body = method === "DELETE" ? ` ${await request.clone().text()}` : "";
      const path = new URL(url).pathname;
      if (method === "GET") {
        this.reads.push(path);
        await this.beforeRead(path);
      } else this.writes.push(`${method} ${path}${body}`);
      return path.startsWith(`${PODS}/`)
        ? await this.#counted(path, () => server.fetch(request))
        : await server.fetch(request);
    };
    this.client = new Client({ world, transport, server: "http://server", userAgent: "nodes/1" });
    this.simulator = new NodeSimulator({ world, client: this.client, ...options });
    this.#running = this.simulator.run(this.#stop.signal);
  }

  async #counted<T>(path: string, act: () => Promise<T>): Promise<T> {
    const [pod] = path.slice(PODS.length + 1).split("/");
    this.#underWay.push(pod);
    this.mostAtOnce.ofAll = Math.max(this.mostAtOnce.ofAll, this.#underWay.length);
    this.mostAtOnce.ofOne = Math.max(this.mostAtOnce.ofOne, this.#underWay.filter((other) => other === pod).length);
    try {
      return await act();
    } finally {
      this.#underWay.splice(this.#underWay.indexOf(pod), 1);
    }
  }

  static async start(options: Partial<NodeSimulatorOptions> = {}): Promise<NodesRig> {
    const rig = new NodesRig(options);
    await rig.api.account("default");
    await rig.advance(0);
    return rig;
  }

  /** A pod of one container on the first node, or with what `spec` says besides. */
  async pod(
    name = "p",
    { annotations, ...spec }: Record<string, unknown> & { readonly annotations?: Record<string, string> } = {},
  ): Promise<Loose> {
    const containers = [{ name: "c", image: "nginx:1" }];
    const body = { metadata: { name, annotations }, spec: { containers, nodeName: "node-0", ...spec } };
    const answer = await this.api.post(PODS, body);
    assertEquals(answer.status, 201, JSON.stringify(answer.body));
    return answer.body;
  }

  async read(name = "p"): Promise<Loose> {
    const { status, body } = await this.api.get(`${PODS}/${name}`);
    return status === 404 ? undefined : body;
  }

  async status(name = "p"): Promise<Loose> {
    return (await this.read(name)).status;
  }

  /** `True`, or the reason of the condition. */
  async condition(type: string, name = "p"): Promise<string | undefined> {
    const { conditions } = await this.status(name);
    const condition = conditions?.find((one: Loose) => one.type === type);
    return condition?.status === "True" ? "True" : condition?.reason ?? condition?.status;
  }

  /** Each container's state in a word: `running`, or the reason why not; with the number of restarts if there were any. */
  async states(name = "p"): Promise<string[]> {
    const { initContainerStatuses = [], containerStatuses = [] } = await this.status(name);
    return [...initContainerStatuses, ...containerStatuses].map(({ state, restartCount }: Loose) => {
      const word = state.running ? "running" : (state.waiting ?? state.terminated).reason;
      return restartCount > 0 ? `${word} ${restartCount}` : word;
    });
  }

  annotate(path: string, annotations: Record<string, string | null>): Promise<unknown> {
    return this.api.patch(path, { metadata: { annotations } });
  }

  advance(ms: number): Promise<void> {
    return this.api.world.clock.advance(ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.api.server.close();
    assertEquals(this.api.world.clock.pendingTimers, 0, "no timer is left");
  }
}
