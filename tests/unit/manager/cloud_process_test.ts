/** When the cloud provider of a process begins, and what comes of one that cannot. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { Client, TransportClientBuilder } from "../../../src/client/mod.ts";
import { type CloudProvider, CloudProviderError, type CloudStart } from "../../../src/cloud/mod.ts";
import { defineController } from "../../../src/controllers/running/mod.ts";
import {
  CLOUD_CONTROLLER_MANAGER,
  type Component,
  managerFlags,
  managerOptions,
  runManagerProcess,
} from "../../../src/manager/mod.ts";
import { createApiServer } from "../../../src/sandbox/mod.ts";
import { FakeCloud } from "../cloud/fake_cloud.ts";

const SERVER = "http://api";

class Rig {
  readonly world = new FakeWorld();
  readonly api = createApiServer({ world: this.world });
  readonly heard: string[] = [];
  readonly stop = new AbortController();
  readonly fake = new FakeCloud();
  start: CloudStart | undefined;
  code: number | undefined;

  /** A controller that needs the cloud and one that does not fit it. */
  #component(build: (heard: string[]) => undefined): Component {
    const { heard } = this;
    const row = defineController({
      name: "asking-controller",
      hosts: ["cloud-controller-manager"],
      needs: { cloud: true },
      build: ({ cloud }) => {
        heard.push(`built with ${cloud?.name}`);
        return {
          run: async (signal) => {
            heard.push("works");
            await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
          },
        };
      },
    });
    const unfit = defineController({ name: "unfit-controller", build: () => build(heard) });
    const others = CLOUD_CONTROLLER_MANAGER.controllers.map((other) => ({ ...other, build: undefined }));
    return { ...CLOUD_CONTROLLER_MANAGER, controllers: [...others, row, unfit] };
  }

  run(
    provider: Partial<CloudProvider>,
    args: readonly string[] = [],
    build: (heard: string[]) => undefined = () => undefined,
  ): Promise<number> {
    const { world, heard } = this;
    const transport = (request: Request) => this.api.fetch(request);
    const flags = managerFlags(
      ["--cloud-provider=fake", "--secure-port=0", "--controller-groups=none", ...args],
      this.#component(build),
    );
    const running = runManagerProcess({
      world,
      options: managerOptions(flags),
      identity: "me",
      file: () => ({ text: "" }),
      endpointClients: {},
      setVerbosity: () => {},
      cloud: {
        providers: [{
          name: "fake",
          open: () => {
            heard.push("opened");
            return Promise.resolve({ ...this.fake.provider, ...provider });
          },
        }],
        env: () => undefined,
        connect: () => () => Promise.reject(new Error("no network")),
      },
      spawn: () => {
        throw new TypeError("there are no groups");
      },
      clients: () => ({
        controllers: new TransportClientBuilder({
          program: "cloud-controller-manager",
          world,
          transport,
          server: SERVER,
          qps: -1,
          burst: 0,
        }),
        access: { transport: () => transport },
        server: SERVER,
        log: () => {},
        election: new Client({ world, transport, server: SERVER, userAgent: "election" }),
      }),
    }, this.stop.signal);
    void running.then((code) => this.code = code, () => {});
    return running;
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.world.clock.advance(30_000);
    this.api.close();
  }
}

for (const election of [true, false]) {
  Deno.test(`the provider is opened first and begins before any controller works, with election: ${election}`, async () => {
    const rig = new Rig();
    const gate = Promise.withResolvers<void>();
    const running = rig.run({
      initialize: async (start) => {
        rig.start = start;
        rig.heard.push("begins");
        await gate.promise;
        rig.heard.push("has begun");
      },
    }, [`--leader-elect=${election}`]);
    await rig.world.clock.advance(20_000);
    assertEquals(rig.heard.filter((what) => !what.startsWith("built")), ["opened", "begins"]);
    gate.resolve();
    await rig.world.clock.advance(5000);
    assertEquals(rig.heard.filter((what) => !what.startsWith("built")), ["opened", "begins", "has begun", "works"]);
    assert(rig.heard.includes("built with fake"));
    // What it was given works: a client, and events.
    const client = rig.start!.clients.client("node-controller");
    assertEquals((await client.request("GET", "/version") as { major: string }).major, "1");
    assertEquals(rig.start!.signal.aborted, false);
    rig.start!.recorder("own-cloud", "node-controller");
    const skipped = rig.world.log.lines.find(({ message }) => message === 'Skipping "unfit-controller"');
    assertEquals(skipped?.severity, "warning");
    await rig.end();
    assertEquals([await running, rig.start!.signal.aborted], [0, true]);
  });

  Deno.test(`a provider that cannot begin ends the process with 1, with election: ${election}`, async () => {
    const rig = new Rig();
    const initialize = () => Promise.reject(new Error("the account is locked"));
    void rig.run({ initialize }, [`--leader-elect=${election}`]);
    await rig.world.clock.advance(20_000);
    assertEquals([rig.code, rig.heard.includes("works")], [1, false]);
    const [line] = rig.world.log.lines.filter(({ message }) => message === "Cannot initialize the cloud provider");
    assertEquals(line.fields.err, "the account is locked");
    await rig.end();
  });

  Deno.test(`a controller that cannot be built ends a leader with 1, with election: ${election}`, async () => {
    const rig = new Rig();
    void rig.run({}, [`--leader-elect=${election}`], () => {
      throw new Error("invalid CIDR address: ");
    });
    await rig.world.clock.advance(40_000);
    assertEquals([rig.code, rig.heard.includes("works")], [1, false]);
    await rig.end();
  });
}

Deno.test("a provider that cannot be opened keeps the process from starting", async () => {
  const rig = new Rig();
  await assertRejects(() => rig.run({ hasClusterId: false }), CloudProviderError, "no ClusterID found.");
  assertEquals(rig.world.clock.pendingTimers, 0);
  rig.api.close();
});
