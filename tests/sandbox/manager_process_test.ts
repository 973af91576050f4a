/** The manager's process as a whole: leading, standing by, being stopped, and losing the lease. */
import { assert, assertEquals } from "@std/assert";
import { FakeWorld } from "../../src/base/mod.ts";
import { DEPLOYMENTS, LEASES, NAMESPACES, PODS } from "../../src/api/mod.ts";
import { Client, isNotFound, type Transport, TransportClientBuilder, WriteRefusedError } from "../../src/client/mod.ts";
import { managerFlags, managerOptions, runManagerProcess } from "../../src/manager/mod.ts";
import { type ApiServer, createApiServer } from "../../src/sandbox/mod.ts";
import { deployment } from "../scenarios/kit.ts";

const SERVER = "http://127.0.0.1";
const LEASE = { namespace: "kube-system", name: "kube-controller-manager" };

/** Who wrote what, in order; lease and event writes aside. */
interface Write {
  readonly process: string;
  readonly request: string;
}

/** Processes of one control plane. */
class Plane {
  readonly world = new FakeWorld();
  readonly apiServer: ApiServer = createApiServer({ world: this.world });
  readonly writes: Write[] = [];
  readonly client = new Client({
    world: this.world,
    transport: (request) => this.apiServer.fetch(request),
    server: SERVER,
    userAgent: "tests",
  });

  start(name: string, ...args: string[]): Running {
    return new Running(this, name, args);
  }

  async advanceUntil(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let i = 0; i < 600; i++) {
      if (await holds()) return;
      await this.world.clock.advance(500);
    }
    throw new Error(`It never came true: ${what}`);
  }

  async leaseHolder(): Promise<string> {
    try {
      return (await this.client.get(LEASES, LEASE)).spec?.holderIdentity ?? "";
    } catch (error) {
      if (isNotFound(error)) return "";
      throw error;
    }
  }

  async podCount(): Promise<number> {
    return (await this.client.list(PODS)).items.length;
  }
}

/** One process; `cutOff` keeps it from reaching the API server, as a partition would. */
class Running {
  readonly name: string;
  readonly #stop = new AbortController();
  readonly #ended: Promise<number>;
  exitCode: number | undefined;
  cutOff: "nothing" | "election" | "everything" = "nothing";

  constructor(plane: Plane, name: string, args: readonly string[]) {
    this.name = name;
    const { world } = plane;
    const reach = (kind: "controllers" | "election"): Transport => (request) => {
      if (this.cutOff === "everything" || this.cutOff === kind) {
        return Promise.reject(new TypeError("network is unreachable"));
      }
      return plane.apiServer.fetch(request);
    };
    const options = managerOptions(managerFlags(["--secure-port=0", "--controller-groups=none", ...args]));
    this.#ended = runManagerProcess({
      world,
      options,
      identity: name,
      file: () => ({ text: "" }),
      endpointClients: {},
      setVerbosity: () => {},
      spawn: () => {
        throw new Error("there are no groups here");
      },
      clients: (mayWrite) => {
        const fenced: Transport = (request) => {
          const path = new URL(request.url).pathname;
          const isWrite = request.method !== "GET";
          if (isWrite && !mayWrite()) return Promise.reject(new WriteRefusedError(request));
          if (isWrite && !/\/(events|leases)/.test(path)) {
            plane.writes.push({ process: name, request: `${request.method} ${path}` });
          }
          return reach("controllers")(request);
        };
        const clientOf = (transport: Transport) =>
          new Client({ world, transport, server: SERVER, userAgent: name, timeoutMs: 5_000 });
        return {
          controllers: new TransportClientBuilder({
            program: "kube-controller-manager",
            world,
            transport: fenced,
            server: SERVER,
            qps: -1,
            burst: 0,
          }),
          access: { transport: () => fenced },
          server: SERVER,
          log: () => {},
          election: clientOf(reach("election")),
        };
      },
    }, this.#stop.signal).then((code) => this.exitCode = code);
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Ends it by whatever means, so that nothing is left behind. */
  async finish(plane: Plane): Promise<void> {
    this.cutOff = "nothing";
    this.stop();
    await plane.advanceUntil(`${this.name} has ended`, () => this.exitCode !== undefined);
    await this.#ended;
  }
}

Deno.test("a leader acts, a standby does not, and a stop hands over at once", async () => {
  const plane = new Plane();
  const first = plane.start("first");
  await plane.advanceUntil("the first leads", async () => await plane.leaseHolder() === "first");
  const second = plane.start("second");
  await plane.client.create(DEPLOYMENTS, deployment("a"), { namespace: "default" });
  await plane.advanceUntil("pods are there", async () => await plane.podCount() === 3);
  assertEquals(new Set(plane.writes.map((write) => write.process)), new Set(["first"]));

  first.stop();
  await plane.advanceUntil("the first has ended", () => first.exitCode !== undefined);
  assertEquals(first.exitCode, 0);
  const endedMs = plane.world.clock.monotonicMs();
  await plane.advanceUntil("the second leads", async () => await plane.leaseHolder() === "second");
  // A standby sees the release; it does not wait for its next try. Half a second is how closely this test looks.
  assert(plane.world.clock.monotonicMs() - endedMs <= 500);
  await plane.client.patch(DEPLOYMENTS, { namespace: "default", name: "a" }, {
    type: "merge",
    body: { spec: { replicas: 4 } },
  });
  await plane.advanceUntil("the second acts", async () => await plane.podCount() === 4);
  assertEquals(plane.writes.at(-1)?.process, "second");
  await second.finish(plane);
  assertEquals(await plane.leaseHolder(), "", "released at the end");
  plane.apiServer.close();
  assertEquals(plane.world.clock.pendingTimers, 0, "no timer is left");
});

Deno.test("a stop keeps the lease where ControllerManagerReleaseLeaderElectionLockOnExit is set to false", async () => {
  const plane = new Plane();
  const only = plane.start("only", "--feature-gates=ControllerManagerReleaseLeaderElectionLockOnExit=false");
  await plane.advanceUntil("it leads", async () => await plane.leaseHolder() === "only");
  await only.finish(plane);
  assertEquals([only.exitCode, await plane.leaseHolder()], [0, "only"]);
  plane.apiServer.close();
});

Deno.test("without DeploymentReplicaSetTerminatingReplicas no status counts pods that terminate", async () => {
  for (const [value, count] of [["true", 0], ["false", undefined]] as const) {
    const plane = new Plane();
    const only = plane.start("only", `--feature-gates=DeploymentReplicaSetTerminatingReplicas=${value}`);
    await plane.client.create(DEPLOYMENTS, deployment("a"), { namespace: "default" });
    const status = async () => (await plane.client.get(DEPLOYMENTS, { namespace: "default", name: "a" })).status;
    await plane.advanceUntil("the status is written", async () => (await status())?.replicas === 3);
    assertEquals((await status())?.terminatingReplicas, count);
    await only.finish(plane);
    plane.apiServer.close();
  }
});

Deno.test("a leader that cannot renew ends with 1 and has written nothing once another may lead", async () => {
  for (const cutOff of ["election", "everything"] as const) {
    const plane = new Plane();
    const first = plane.start("first");
    await plane.advanceUntil("the first leads", async () => await plane.leaseHolder() === "first");
    const second = plane.start("second");
    await plane.world.clock.advance(5_000);
    first.cutOff = cutOff;
    // Work goes on all the time, so that a leader that may not write any more has something to write.
    let round = 0;
    await plane.advanceUntil("the first has ended and the second leads", async () => {
      await plane.client.create(NAMESPACES, { metadata: { name: `n${round++}` } });
      return first.exitCode !== undefined && await plane.leaseHolder() === "second";
    });
    assertEquals(first.exitCode, 1);
    await plane.client.create(DEPLOYMENTS, deployment("a"), { namespace: "default" });
    await plane.advanceUntil("the second acts", async () => await plane.podCount() === 3);
    const order = plane.writes.map((write) => write.process);
    assert(order.lastIndexOf("first") < order.indexOf("second"), "never two writers");
    if (cutOff === "election") assert(order.includes("first"), "it wrote while it still could");
    await second.finish(plane);
    plane.apiServer.close();
    assertEquals(plane.world.clock.pendingTimers, 0, "no timer is left");
  }
});

Deno.test("without leader election the manager works at once and needs no lease", async () => {
  const plane = new Plane();
  const only = plane.start("only", "--leader-elect=false");
  await plane.client.create(DEPLOYMENTS, deployment("a"), { namespace: "default" });
  await plane.advanceUntil("pods are there", async () => await plane.podCount() === 3);
  assertEquals(await plane.leaseHolder(), "");
  await only.finish(plane);
  assertEquals(only.exitCode, 0);
  plane.apiServer.close();
});

Deno.test("only the controllers asked for run", async () => {
  const plane = new Plane();
  const only = plane.start("only", "--leader-elect=false", "--controllers=serviceaccount-controller,deployment");
  await plane.client.create(DEPLOYMENTS, deployment("a"), { namespace: "default" });
  await plane.advanceUntil(
    "the Deployment was seen",
    async () =>
      (await plane.client.get(DEPLOYMENTS, { namespace: "default", name: "a" })).status?.observedGeneration === 1,
  );
  await plane.world.clock.advance(60_000);
  assertEquals(await plane.podCount(), 0, "nobody makes pods");
  await only.finish(plane);
  plane.apiServer.close();
});
