import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import { WriteRefusedError } from "../../../../src/client/mod.ts";
import {
  CloudError,
  type CloudProvider,
  CloudProviderError,
  type CloudSetup,
  type CloudStart,
  InstanceNotFoundError,
} from "../../../../src/cloud/mod.ts";
import { CLOUD_CONTROLLER_MANAGER, managerFlags } from "../../../../src/manager/mod.ts";
import { cloudOptions, ProcessCloud } from "../../../../src/manager/cloud/mod.ts";
import { FakeCloud } from "../../cloud/fake_cloud.ts";

const NEVER = new AbortController().signal;

function setUp(provider: Partial<CloudProvider> = {}, files: Readonly<Record<string, string>> = {}) {
  const world = new FakeWorld();
  for (const [path, text] of Object.entries(files)) world.fileContents.set(path, text);
  const fake = new FakeCloud();
  const sent: string[] = [];
  let setup: CloudSetup | undefined;
  const metrics = new MetricsRegistry();
  const open = (...args: string[]) =>
    ProcessCloud.open({
      world,
      metrics,
      options: cloudOptions(managerFlags(args, CLOUD_CONTROLLER_MANAGER))!,
      access: {
        providers: [{
          name: "fake",
          open: (given) => {
            setup = given;
            return Promise.resolve({ ...fake.provider, ...provider });
          },
        }],
        env: (name) => name === "TOKEN" ? "secret" : undefined,
        connect: () => (request) => {
          sent.push(`${request.method} ${request.url}`);
          return Promise.resolve(new Response());
        },
      },
    });
  return { world, fake, sent, metrics, open, setup: () => setup! };
}

const START = { signal: NEVER } as unknown as CloudStart;

Deno.test("ProcessCloud.open gives a provider what the flags say, its file, its environment and a way out", async () => {
  const { world, open, setup } = setUp({}, { "/cloud.yaml": "a: 1" });
  const cloud = await open(
    "--cloud-provider=fake",
    "--cloud-config=/cloud.yaml",
    "--cluster-name=c",
    "--cluster-cidr=10.0.0.0/8, fd00::/48",
  );
  const { config, clusterName, clusterCidrs, env } = setup();
  assertEquals([config.path, config.text, clusterName], ["/cloud.yaml", "a: 1", "c"]);
  assertEquals([clusterCidrs, env("TOKEN"), env("OTHER")], [["10.0.0.0/8", "fd00::/48"], "secret", undefined]);
  const heard: string[] = [];
  using _listening = config.onChange((text) => heard.push(text));
  const end = new AbortController();
  const following = cloud.follow(end.signal);
  world.fileContents.set("/cloud.yaml", "a: 2");
  await world.clock.advance(15_000);
  assertEquals([heard, config.text], [["a: 2"], "a: 2"]);
  end.abort();
  await following;
});

Deno.test("ProcessCloud.open without --cloud-config gives an empty text", async () => {
  const { open, setup } = setUp();
  await open("--cloud-provider=fake");
  assertEquals([setup().config.path, setup().config.text, setup().clusterCidrs], ["", "", []]);
});

for (
  const [args, provider, words] of [
    [["--cloud-provider=external"], {}, "Cloud provider is nil"],
    [["--cloud-provider=nope"], {}, 'Cloud provider could not be initialized: unknown cloud provider "nope"'],
    [
      ["--cloud-provider=fake", "--cloud-config=/missing"],
      {},
      "Couldn't open cloud provider configuration /missing: ",
    ],
    [
      ["--cloud-provider=fake"],
      { hasClusterId: false },
      "no ClusterID found.  A ClusterID is required for the cloud provider to function properly.  " +
      "This check can be bypassed by setting the allow-untagged-cloud option",
    ],
  ] as const
) {
  Deno.test(`ProcessCloud.open refuses ${args.join(" ")} with ${JSON.stringify(provider)}`, async () => {
    await assertRejects(() => setUp(provider).open(...args), CloudProviderError, words);
  });
}

Deno.test("ProcessCloud.open warns of a provider without a cluster ID where that is allowed", async () => {
  const { world, open } = setUp({ hasClusterId: false });
  await open("--cloud-provider=fake", "--allow-untagged-cloud");
  assert(
    world.log.lines.some(({ severity, message }) =>
      severity === "warning" && message.startsWith("detected a cluster without a ClusterID.")
    ),
  );
});

Deno.test("ProcessCloud: calls go through guards, each of which asks by its own lease whether this process may write", async () => {
  const { fake, open } = setUp();
  const cloud = await open("--cloud-provider=fake");
  const leases = { main: true, migration: true };
  const [main, migration] = [cloud.guard(() => leases.main), cloud.guard(() => leases.migration)];
  leases.migration = false;
  const route = { targetNode: "n", destinationCIDR: "10.0.0.0/24" };
  await main.routes!.createRoute("c", "1", route, NEVER);
  await assertRejects(() => migration.routes!.createRoute("c", "1", route, NEVER), CloudError);
  assertEquals(fake.asked("createRoute").length, 1);
});

Deno.test("ProcessCloud: once the provider was initialized, it sends no request but GET and HEAD while a guard may not write", async () => {
  const { sent, open, setup } = setUp();
  const cloud = await open("--cloud-provider=fake");
  const send = setup().connect();
  const post = () => send(new Request("https://cloud/", { method: "POST" }));
  const leases = { main: false, migration: true };
  await post();
  await cloud.initialize(START, () => leases.main);
  await assertRejects(post, WriteRefusedError);
  for (const method of ["GET", "HEAD"]) await send(new Request("https://cloud/", { method }));
  leases.main = true;
  await post();
  cloud.fence(() => leases.migration);
  leases.migration = false;
  await assertRejects(post, WriteRefusedError);
  assertEquals(sent.map((line) => line.split(" ")[0]), ["POST", "GET", "HEAD", "POST"]);
});

Deno.test("ProcessCloud: after close no call is made", async () => {
  const { fake, sent, open, setup } = setUp();
  const cloud = await open("--cloud-provider=fake");
  const guard = cloud.guard(() => true);
  const send = setup().connect();
  cloud.close();
  await assertRejects(async () => void await guard.routes!.listRoutes("c", NEVER), CloudError);
  await assertRejects(() => send(new Request("https://cloud/", { method: "PUT" })), WriteRefusedError);
  assertEquals([fake.requests, sent], [[], []]);
});

Deno.test("ProcessCloud.initialize waits for the provider, for five minutes at most", async () => {
  const gate = Promise.withResolvers<void>();
  const waits = setUp({ initialize: () => gate.promise });
  const cloud = await waits.open("--cloud-provider=fake");
  let isReady = false;
  const ready = cloud.initialize(START, () => true).then(() => isReady = true);
  await waits.world.clock.advance(60_000);
  assertEquals(isReady, false);
  gate.resolve();
  await ready;
  assertEquals(waits.world.clock.pendingTimers, 0);

  const hangs = setUp({ initialize: () => new Promise(() => {}) });
  const stuck = await hangs.open("--cloud-provider=fake");
  const late = assertRejects(() => stuck.initialize(START, () => true), CloudError, "within 300 s");
  await hangs.world.clock.advance(300_000);
  await late;
});

Deno.test("ProcessCloud counts calls by method and result", async () => {
  const { fake, metrics, open, world } = setUp();
  const cloud = await open("--cloud-provider=fake");
  const guard = cloud.guard(() => false);
  const node = { metadata: { name: "n" } };
  await guard.instances!.instanceExists(node, NEVER);
  fake.failures.set("instanceExists", new InstanceNotFoundError());
  await assertRejects(() => guard.instances!.instanceExists(node, NEVER));
  await assertRejects(() => guard.loadBalancers!.ensureLoadBalancer("c", { metadata: { name: "s" } }, [], NEVER));
  const stuck = setUp({ routes: { ...fake.provider.routes!, listRoutes: () => new Promise(() => {}) } });
  const late = (await stuck.open("--cloud-provider=fake")).guard(() => true).routes!.listRoutes("c", NEVER).catch(
    () => {},
  );
  assert(/^kubeloop_cloud_calls 1$/m.test(stuck.metrics.render()));
  await stuck.world.clock.advance(60_000);
  await late;
  const lines = [metrics, stuck.metrics].flatMap((registry) =>
    registry.render().split("\n").filter((line) => /^kubeloop_cloud_calls_total\{.* [1-9]/.test(line))
  );
  assertEquals(lines.sort(), [
    'kubeloop_cloud_calls_total{method="ensureLoadBalancer",result="refused"} 1',
    'kubeloop_cloud_calls_total{method="instanceExists",result="instanceNotFound"} 1',
    'kubeloop_cloud_calls_total{method="instanceExists",result="ok"} 1',
    'kubeloop_cloud_calls_total{method="listRoutes",result="late"} 1',
  ]);
  assertEquals([world.clock.pendingTimers, stuck.world.clock.pendingTimers], [0, 0]);
});
