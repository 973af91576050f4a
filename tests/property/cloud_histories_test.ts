/** Random histories of a cluster and its cloud: what is left in the end is right, and no Node is deleted that ought to be there. */
import fc from "../fast_check.ts";
import { type TestCluster, withTestCluster } from "kubeloop/testing";
import { SERVICES } from "../../src/api/mod.ts";
import { isNotFound } from "../../src/client/mod.ts";
import { CloudError } from "../../src/cloud/mod.ts";
import { assertRight, balanced, CLOUD_CLUSTER, watchDeletions } from "../sandbox/cloud_scenario.ts";

type Step =
  | { readonly do: "wait"; readonly seconds: number }
  | { readonly do: "stop" | "start" | "remove" | "silence" | "wake"; readonly machine: number }
  | { readonly do: "join" | "crash" }
  | { readonly do: "create" | "change" | "hide" | "show" | "delete"; readonly service: number }
  | { readonly do: "outage"; readonly seconds: number; readonly isDone: boolean; readonly isSlow: boolean };

const number = fc.nat({ max: 4 });
const seconds = fc.integer({ min: 1, max: 120 });
const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("wait" as const), seconds }),
  fc.record({ do: fc.constantFrom("stop" as const, "start", "remove", "silence", "wake"), machine: number }),
  fc.record({ do: fc.constantFrom("join" as const, "crash") }),
  fc.record({ do: fc.constantFrom("create" as const, "change", "hide", "show", "delete"), service: number }),
  fc.record({ do: fc.constant("outage" as const), seconds, isDone: fc.boolean(), isSlow: fc.boolean() }),
);

Deno.test("whatever happens to a cluster and its cloud, no machine's Node and no ready Node is deleted, and the end is right", () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.array(STEP, { minLength: 5, maxLength: 30 }),
      (seed, steps) =>
        withTestCluster({ ...CLOUD_CLUSTER, nodes: 3, seed }, async (cluster) => {
          const judge = watchDeletions(cluster);
          const history = new CloudHistory(cluster);
          for (const step of steps) {
            await history.take(step);
            judge();
          }
          await history.makeGood();
          await cluster.eventually("all is right in the end", () => assertRight(cluster).then(() => true));
          judge();
        }),
    ),
    { numRuns: 25, endOnFailure: true },
  ));

class CloudHistory {
  readonly #cluster: TestCluster;
  #joined = 0;

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
  }

  async take(step: Step): Promise<void> {
    const { cloud, nodes } = this.#cluster;
    switch (step.do) {
      case "wait":
        return await this.#cluster.advance(step.seconds * 1000);
      case "join":
        return void nodes.addNode(`node-late-${this.#joined++}`);
      case "crash":
        await this.#cluster.crashManager();
        await this.#cluster.advance(17_000);
        return this.#cluster.startManager();
      case "outage": {
        using _ = cloud.fault({
          error: new CloudError("503 service unavailable"),
          isDone: step.isDone,
          delayMs: step.isSlow ? 3_000 : 0,
        });
        return await this.#cluster.advance(step.seconds * 1000);
      }
      case "create":
      case "change":
      case "hide":
      case "show":
      case "delete":
        return await this.#changeService(step.do, `s${step.service}`);
      default:
        this.#changeMachine(step.do, step.machine);
        return await this.#cluster.advance(500);
    }
  }

  /** Everything works from now on. */
  async makeGood(): Promise<void> {
    const { cloud, nodes } = this.#cluster;
    for (const { name, state } of cloud.machines) {
      if (state === "stopped") cloud.setMachine(name, "running");
      else nodes.startNode(name);
    }
    await this.#cluster.advance(1000);
  }

  #changeMachine(what: "stop" | "start" | "remove" | "silence" | "wake", index: number): void {
    const { cloud, nodes } = this.#cluster;
    const machine = cloud.machines[index % Math.max(1, cloud.machines.length)];
    if (!machine) return;
    const { name, state } = machine;
    if (what === "stop") cloud.setMachine(name, "stopped");
    else if (what === "start") cloud.setMachine(name, "running");
    else if (what === "remove") cloud.setMachine(name, "removed");
    else if (state === "running" && what === "silence") nodes.stopNode(name);
    else if (state === "running") nodes.startNode(name);
  }

  async #changeService(what: "create" | "change" | "hide" | "show" | "delete", name: string): Promise<void> {
    const { client } = this.#cluster;
    const key = { namespace: "default", name };
    const now = await client.get(SERVICES, key).catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (what === "create") return now ? undefined : void await client.create(SERVICES, balanced(name));
    if (!now || now.metadata?.deletionTimestamp) return;
    if (what === "delete") return void await client.delete(SERVICES, key);
    const port = (now.spec?.ports?.[0].port ?? 0) + 1;
    const spec = what === "change" ? { ports: [{ port }] } : { type: what === "hide" ? "ClusterIP" : "LoadBalancer" };
    await client.patch(SERVICES, key, { type: "merge", body: { spec } });
  }
}
