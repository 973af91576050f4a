/** A server with controllers, nodes and a scheduler, and kubectl for it. */
import { MemoryLogger, MetricsRegistry, sleep, systemWorld, type World } from "../../../src/base/mod.ts";
import { NAMESPACES, SERVICEACCOUNTS } from "../../../src/api/mod.ts";
import {
  Client,
  isNotFound,
  loadClientConfig,
  type Transport,
  TransportClientBuilder,
  transportOf,
} from "../../../src/client/mod.ts";
import { CONTROLLERS } from "../../../src/controllers/mod.ts";
import { ControllerManager, managerFlags, managerOptions } from "../../../src/manager/mod.ts";
import { createApiServer, kubeconfigText, NodeSimulator, Scheduler, serveApiServer } from "../../../src/sandbox/mod.ts";
import { assetsFolder } from "../../controlplane/binaries.ts";
import { ControlPlane } from "../../controlplane/control_plane.ts";
import { runProgram } from "../../controlplane/run_program.ts";
import { argumentsOf, type Result, type Step } from "./step.ts";

/** kubectl gives up on a server that does not answer. */
const REQUEST_TIMEOUT = "--request-timeout=60s";

/** A server as its API is reached, and the kubeconfig of its administrator. */
interface Served {
  readonly transport: Transport;
  readonly server: string;
  readonly kubeconfig: string;
  readonly isEmbedded: boolean;
}

export class Playground implements AsyncDisposable {
  readonly #world: World;
  readonly #served: Served;
  readonly #kubectl: string;
  readonly #home: string;
  readonly #client: Client;
  readonly #stop = new AbortController();
  readonly #running: readonly Promise<unknown>[];
  readonly #stack: AsyncDisposableStack;

  private constructor(
    world: World,
    served: Served,
    { kubectl, home, stack }: { kubectl: string; home: string; stack: AsyncDisposableStack },
  ) {
    this.#world = world;
    this.#served = served;
    this.#kubectl = kubectl;
    this.#home = home;
    this.#stack = stack;
    const { transport, server } = served;
    const client = (userAgent: string) => new Client({ world, transport, server, userAgent });
    this.#client = client("tests");
    const options = managerOptions(managerFlags([]));
    const manager = new ControllerManager({
      world,
      metrics: new MetricsRegistry(),
      clients: new TransportClientBuilder({
        program: "kube-controller-manager",
        world,
        transport,
        server,
        qps: -1,
        burst: 0,
      }),
      controllers: CONTROLLERS,
      controllerOptions: options.controllerOptions,
      minResyncPeriodMs: options.minResyncPeriodMs,
    });
    const nodes = new NodeSimulator({ world, client: client("kubelet"), nodeCount: 2, podStartMs: 200, events: true });
    const scheduler = new Scheduler({ world, client: client("scheduler"), events: true });
    this.#running = [manager, nodes, scheduler].map((each) => each.run(this.#stop.signal));
  }

  /** The embedded API server. */
  static async embedded(): Promise<Playground> {
    const stack = new AsyncDisposableStack();
    const world = systemWorld(new MemoryLogger());
    const apiServer = stack.adopt(createApiServer({ world, authorization: "RBAC" }), (server) => server.close());
    const { url } = stack.use(await serveApiServer({ apiServer }));
    const home = await temporaryFolder(stack);
    const kubeconfig = `${home}/kubeconfig`;
    await Deno.writeTextFile(kubeconfig, kubeconfigText({ server: url, token: "admin-token" }));
    const served = { transport: apiServer.fetch, server: "http://127.0.0.1", kubeconfig, isEmbedded: true };
    return new Playground(world, served, { kubectl: `${await assetsFolder()}/kubectl`, home, stack });
  }

  /** kube-apiserver and etcd. */
  static async real(): Promise<Playground> {
    const stack = new AsyncDisposableStack();
    const world = systemWorld(new MemoryLogger());
    const plane = stack.use(await ControlPlane.start());
    const config = await loadClientConfig(world, { kubeconfig: plane.kubeconfig });
    const served = {
      transport: transportOf(world, config),
      server: config.server,
      kubeconfig: plane.kubeconfig,
      isEmbedded: false,
    };
    return new Playground(world, served, {
      kubectl: `${plane.bin}/kubectl`,
      home: await temporaryFolder(stack),
      stack,
    });
  }

  get isEmbedded(): boolean {
    return this.#served.isEmbedded;
  }

  /** Makes a namespace and waits until pods can be created in it. */
  async namespace(name: string): Promise<void> {
    await this.#client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    for (;;) {
      try {
        await this.#client.get(SERVICEACCOUNTS, { namespace: name, name: "default" });
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error;
        await sleep(this.#world.clock, 50);
      }
    }
  }

  /** Runs the command of a step. */
  async run(step: Pick<Step, "run" | "input" | "env">, namespace: string): Promise<Result> {
    const { kubeconfig } = this.#served;
    const { input } = step;
    const { code, stdout, stderr } = await runProgram(this.#kubectl, {
      args: ["--kubeconfig", kubeconfig, "-n", namespace, REQUEST_TIMEOUT, ...argumentsOf(step.run)],
      env: { HOME: this.#home, KUBECONFIG: kubeconfig, ...step.env },
      input: input === undefined || typeof input === "string" ? input : JSON.stringify(input),
    });
    return { code, text: stdout + stderr };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    await this.#stack.disposeAsync();
  }
}

async function temporaryFolder(stack: AsyncDisposableStack): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "kubeloop-kubectl-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  return folder;
}
