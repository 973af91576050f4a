/** Rights and audit logs go by the names of clients, alerts by those of queues: they must be upstream's. */
import { assertEquals } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../src/base/mod.ts";
import { type ClientBuilder, ROOT_CLIENTS, TransportClientBuilder } from "../../src/client/mod.ts";
import {
  clientNameOf,
  type ControllerRow,
  CONTROLLERS,
  KNOWN_CONTROLLERS,
  needsOf,
  type Supplies,
} from "../../src/controllers/mod.ts";
import { serverSettings } from "../../src/embedded/mod.ts";
import {
  CLOUD_CONTROLLER_MANAGER,
  ControllerManager,
  KUBE_CONTROLLER_MANAGER,
  managerFlags,
  managerOptions,
  OpenSupplies,
} from "../../src/manager/mod.ts";
import { keyPem, testAuthority } from "../unit/controllers/certificates/signing_rig.ts";
import { FakeCloud } from "../unit/cloud/fake_cloud.ts";
import { createApiServer } from "../../src/sandbox/mod.ts";

const AUTHORITY = await testAuthority({ nowMs: new FakeWorld().clock.wallMs() });
const KEY = await keyPem(AUTHORITY);

/** Metrics of what controllers share. */
const SHARED = /^(workqueue|informer|kubeloop)_/;

/** Gates without which others cannot be on. */
const NEEDED_GATES: Readonly<Record<string, readonly string[]>> = {
  PodCertificateRequest: ["AuthorizeNodeWithSelectors"],
};

/** Flags without which a controller has nothing to do. */
function flagsFor({ name, gates, needs }: ControllerRow): string[] {
  return [
    ...needs?.cloud ? ["--cloud-provider=fake", "--cluster-cidr=10.244.0.0/16"] : [],
    // It has a queue only then.
    ...name === "node-route-controller"
      ? ["--feature-gates=CloudControllerManagerWatchBasedRoutesReconciliation=true"]
      : [],
    ...name === "node-ipam-controller" ? ["--allocate-node-cidrs", "--cluster-cidr=10.244.0.0/16"] : [],
    ...gates.flatMap((gate) => [gate, ...NEEDED_GATES[gate] ?? []]).map((gate) => `--feature-gates=${gate}=true`),
    ...[...needs?.files ?? [], ...needs?.keys ?? []].filter((flag) => FILES.has(flag)).map((flag) => `--${flag}=/file`),
  ];
}

/** What files hold, by the flags that name them. */
const FILES: ReadonlyMap<string, string> = new Map([
  ["cluster-signing-cert-file", AUTHORITY.pem],
  ["cluster-signing-key-file", KEY],
  ["root-ca-file", AUTHORITY.pem],
  ["service-account-private-key-file", KEY],
]);

/** The program that runs a controller. */
function programOf({ needs }: ControllerRow): typeof KUBE_CONTROLLER_MANAGER {
  return needs?.cloud ? CLOUD_CONTROLLER_MANAGER : KUBE_CONTROLLER_MANAGER;
}

function suppliesOf(row: ControllerRow, world: FakeWorld): Supplies {
  const { files, signer, folders, drivers } = new OpenSupplies(
    world,
    needsOf([row]),
    (flag) => ({ text: FILES.get(flag) ?? "" }),
  );
  return { files, signer, folders, drivers, cloud: row.needs?.cloud ? new FakeCloud().provider : undefined };
}

for (const descriptor of CONTROLLERS) {
  Deno.test(`${descriptor.name} sends requests and events as ${descriptor.clientName} alone, and has the queues and metrics of its row`, async () => {
    const world = new FakeWorld();
    const flags = flagsFor(descriptor);
    const apiServer = createApiServer({ world, ...serverSettings(descriptor.needs?.cloud ? [] : flags) });
    const builder = new TransportClientBuilder({
      program: "kube-controller-manager",
      world,
      transport: apiServer.fetch,
      server: "http://127.0.0.1",
    });
    const names = new Set<string>();
    const clients: ClientBuilder = {
      client: (name, options) => {
        names.add(name);
        return builder.client(name, options);
      },
    };
    const metrics = new MetricsRegistry();
    const manager = new ControllerManager({
      world,
      metrics,
      clients,
      controllers: [descriptor],
      controllerOptions: managerOptions(managerFlags(flags, programOf(descriptor))).controllerOptions,
      supplies: suppliesOf(descriptor, world),
      minResyncPeriodMs: 12 * 3_600_000,
    });
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    await world.clock.advance(1_000);
    stop.abort();
    await world.clock.advance(10_000);
    await running;
    apiServer.close();
    const own = [...names].filter((name) => !ROOT_CLIENTS.has(name));
    assertEquals(own.filter((name) => name !== descriptor.clientName), []);
    const shown = metrics.render();
    const queues = [...shown.matchAll(/^workqueue_depth\{name="([^"]+)"/gm)].map(([, name]) => name).sort();
    assertEquals(queues, descriptor.queues.toSorted());
    const registered = [...shown.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    assertEquals(registered.filter((name) => !SHARED.test(name)).sort(), descriptor.metrics.toSorted());
  });
}

Deno.test("clientNameOf differs from the controller's name only for controllers that exist", () => {
  const names = KNOWN_CONTROLLERS.map(({ name }) => name);
  assertEquals(names.filter((name) => clientNameOf(name) !== name).length, 33);
  assertEquals(clientNameOf("deployment-controller"), "deployment-controller");
});
