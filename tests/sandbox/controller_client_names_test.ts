/** Rights and audit logs go by the names of clients: they must be upstream's. */
import { assertEquals } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../src/base/mod.ts";
import { type ClientBuilder, ROOT_CLIENTS, TransportClientBuilder } from "../../src/client/mod.ts";
import { clientNameOf, CONTROLLERS, KNOWN_CONTROLLERS } from "../../src/controllers/mod.ts";
import { ControllerManager, managerFlags, managerOptions } from "../../src/manager/mod.ts";
import { createApiServer } from "../../src/sandbox/mod.ts";

for (const descriptor of CONTROLLERS) {
  Deno.test(`${descriptor.name} sends requests and events as ${clientNameOf(descriptor.name)} alone`, async () => {
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
    const manager = new ControllerManager({
      world,
      metrics: new MetricsRegistry(),
      clients,
      controllers: [descriptor],
      controllerOptions: { ...managerOptions(managerFlags([])).controllerOptions, rootCaText: "" },
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
  });
}

Deno.test("clientNameOf differs from the controller's name only for controllers that exist", () => {
  const names = KNOWN_CONTROLLERS.map(({ name }) => name);
  assertEquals(names.filter((name) => clientNameOf(name) !== name).length, 33);
  assertEquals(clientNameOf("deployment-controller"), "deployment-controller");
});
