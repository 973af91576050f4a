/** Two real processes: what the platform cannot keep one from, and what becomes of a leader whose main thread stands still. */
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { DEPLOYMENTS, LEASES, REPLICASETS } from "../../../src/api/mod.ts";
import { createLogger } from "../../../src/log/mod.ts";
import { systemWorld, warningsOnly } from "../../../src/base/mod.ts";
import { Client } from "../../../src/client/mod.ts";
import { type ApiServer, createApiServer } from "../../../src/sandbox/mod.ts";
import { kubeconfigText, serveApiServer, type ServedApiServer } from "../../../src/sandbox/serving/mod.ts";
import { objects } from "../../../src/testkit/mod.ts";
import { eventually, Process } from "../../controlplane/process.ts";

const ENTRY = fromFileUrl(new URL("./group_heap_manager.ts", import.meta.url));
const WORLD = systemWorld(warningsOnly(createLogger({ format: "text", verbosity: 0, pid: Deno.pid })));
const WAIT = { withinMs: 90_000 };
const FLAGS = [
  "--secure-port=0",
  "--controllers=deployment-controller,replicaset-controller",
  "--controller-groups=workloads=deployment-controller;replicaset-controller",
  "--leader-elect-lease-duration=6s",
  "--leader-elect-renew-deadline=4s",
  "--leader-elect-retry-period=1s",
];
/** What V8 ends a process with whose heap is full: SIGTRAP, as shells and containers show it. */
const FULL_HEAP = 133;

/** A cluster, and a leader and a standby of real processes in it. */
class Pair implements AsyncDisposable {
  readonly #apiServer: ApiServer;
  readonly #served: ServedApiServer;
  readonly #folder = Deno.makeTempDirSync({ prefix: "kubeloop-pair-" });
  readonly client: Client;
  readonly leader: Process;
  standby: Process | undefined;

  private constructor(apiServer: ApiServer, served: ServedApiServer) {
    this.#apiServer = apiServer;
    this.#served = served;
    this.client = new Client({ world: WORLD, transport: apiServer.fetch, server: served.url, userAgent: "test" });
    Deno.writeTextFileSync(`${this.#folder}/kubeconfig`, kubeconfigText({ server: this.#served.url }));
    this.leader = this.#start("leader");
  }

  static async start(): Promise<Pair> {
    const apiServer = createApiServer({ world: WORLD });
    const pair = new Pair(apiServer, await serveApiServer({ apiServer }));
    await pair.leads(pair.leader);
    const standby = pair.standby = pair.#start("standby");
    await eventually("the standby waits", () => standby.output.includes("Attempting to acquire leader lease"), WAIT);
    await pair.works("before");
    return pair;
  }

  async holder(): Promise<string> {
    const { items } = await this.client.list(LEASES);
    return items.find(({ metadata }) => metadata?.name === "kube-controller-manager")?.spec?.holderIdentity ?? "";
  }

  /** Waits until a process leads, and says as whom. */
  leads(process: Process): Promise<string> {
    return eventually(`the ${process.name} leads`, async () => {
      assertEquals(process.exit, undefined, process.output);
      return process.output.includes("Successfully acquired lease") && await this.holder();
    }, WAIT);
  }

  /** Waits until somebody has acted on a new Deployment. */
  async works(name: string): Promise<void> {
    await this.client.create(
      DEPLOYMENTS,
      objects.deployment(name, { metadata: { namespace: "default" }, replicas: 1 }),
    );
    await eventually(`somebody acts on ${name}`, async () => {
      const { items } = await this.client.list(REPLICASETS);
      return items.some(({ metadata }) => metadata?.name?.startsWith(`${name}-`));
    }, WAIT);
  }

  #start(name: string): Process {
    const v8 = "--v8-flags=--max-old-space-size=128";
    const args = ["run", "--allow-all", "--no-check", v8, ENTRY, `--kubeconfig=${this.#folder}/kubeconfig`, ...FLAGS];
    return new Process(name, Deno.execPath(), { args });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const process of [this.leader, this.standby]) await process?.[Symbol.asyncDispose]();
    await this.#served.close();
    this.#apiServer.close();
    await Deno.remove(this.#folder, { recursive: true });
  }
}

Deno.test("a group that allocates faster than its heap is looked at ends the process, and the standby takes over", async () => {
  await using pair = await Pair.start();
  const before = await pair.holder();
  pair.leader.signal("SIGUSR2");
  const { code } = await pair.leader.exited;
  assertEquals(code, FULL_HEAP, pair.leader.output);
  assertNotEquals(await pair.leads(pair.standby!), before);
  await pair.works("after");
});

Deno.test("a leader whose main thread stands still for the renew deadline ends, says for how long it did, and the standby takes over", async () => {
  await using pair = await Pair.start();
  const before = await pair.holder();
  pair.leader.signal("SIGUSR1");
  const { code } = await pair.leader.exited;
  assertEquals(code, 1, pair.leader.output);
  // A busy machine makes it longer, and may have made others before.
  const stalls = [...pair.leader.output.matchAll(/"The main thread was blocked" ms=(\d+)/g)].map(([, ms]) =>
    Number(ms)
  );
  assert(stalls.some((ms) => ms >= 9000), pair.leader.output);
  assertMatch(pair.leader.output, /leaderelection lost/);
  assertNotEquals(await pair.leads(pair.standby!), before);
  await pair.works("after");
});
