/** Rights and audit logs go by the names of clients, alerts by those of queues: they must be upstream's. */
import { assertEquals } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../src/base/mod.ts";
import { type ClientBuilder, ROOT_CLIENTS, TransportClientBuilder } from "../../src/client/mod.ts";
import { clientNameOf, CONTROLLERS, KNOWN_CONTROLLERS } from "../../src/controllers/mod.ts";
import { ControllerManager, managerFlags, managerOptions } from "../../src/manager/mod.ts";
import { createApiServer } from "../../src/sandbox/mod.ts";

/** As upstream's metrics call them; of those that are here. */
const QUEUES: Readonly<Record<string, readonly string[]>> = {
  "deployment-controller": ["deployment"],
  "replicaset-controller": ["replicaset"],
  "replicationcontroller-controller": ["replicationmanager"],
  "statefulset-controller": ["statefulset"],
  "daemonset-controller": ["daemonset", "daemonset-node-updates"],
  "job-controller": ["job", "job_orphan_pod"],
  "cronjob-controller": ["cronjob"],
  "ttl-after-finished-controller": ["ttl_jobs_to_delete"],
  "horizontal-pod-autoscaler-controller": ["horizontalpodautoscaler"],
  "disruption-controller": ["disruption", "disruption_recheck", "stale_pod_disruption"],
  "pod-garbage-collector-controller": ["orphaned_pods_nodes"],
  "resourcequota-controller": [
    "resource_quota_controller_resource_changes",
    "resourcequota_primary",
    "resourcequota_priority",
  ],
};

for (const descriptor of CONTROLLERS) {
  Deno.test(`${descriptor.name} sends requests and events as ${clientNameOf(descriptor.name)} alone, and calls its queues as upstream does`, async () => {
    const world = new FakeWorld();
    const apiServer = createApiServer({ world });
    const builder = new TransportClientBuilder({ world, transport: apiServer.fetch, server: "http://127.0.0.1" });
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
      controllerOptions: managerOptions(managerFlags([])).controllerOptions,
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
    assertEquals(own.filter((name) => name !== clientNameOf(descriptor.name)), []);
    const queues = [...metrics.render().matchAll(/^workqueue_depth\{name="([^"]+)"/gm)].map(([, name]) => name).sort();
    if (descriptor.name in QUEUES) assertEquals(queues, QUEUES[descriptor.name]);
  });
}

Deno.test("clientNameOf differs from the controller's name only for controllers that exist", () => {
  const names = KNOWN_CONTROLLERS.map(({ name }) => name);
  assertEquals(names.filter((name) => clientNameOf(name) !== name).length, 33);
  assertEquals(clientNameOf("deployment-controller"), "deployment-controller");
});
