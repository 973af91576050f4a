import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { Client, TransportClientBuilder } from "../../../src/client/mod.ts";
import { managerFlags, managerOptions, runManagerProcess } from "../../../src/manager/mod.ts";
import { createApiServer } from "../../../src/sandbox/mod.ts";

Deno.test("runManagerProcess names the group whose thread cannot start, and has asked the API server nothing", async () => {
  for (const election of ["true", "false"]) {
    const world = new FakeWorld();
    const asked: string[] = [];
    const transport = (request: Request) => {
      asked.push(request.url);
      return Promise.resolve(new Response("{}"));
    };
    const server = "http://api";
    const options = managerOptions(
      managerFlags(["--secure-port=0", "--controller-groups=auto", `--leader-elect=${election}`]),
    );
    const error = await assertRejects(() =>
      runManagerProcess({
        world,
        options,
        identity: "me",
        file: () => ({ text: "" }),
        endpointClients: {},
        setVerbosity: () => {},
        spawn: () => {
          throw new TypeError("workers are not permitted");
        },
        clients: () => ({
          controllers: new TransportClientBuilder({
            program: "kube-controller-manager",
            world,
            transport,
            server,
            qps: -1,
            burst: 0,
          }),
          access: { transport: () => transport },
          server,
          log: () => {},
          election: new Client({ world, transport, server, userAgent: "election" }),
        }),
      }, new AbortController().signal), Error);
    assertEquals(
      error.message.replace(/group "\w+"/, "group NAME"),
      "the thread of controller group NAME cannot start (try --controller-groups=none): workers are not permitted",
    );
    assertEquals(asked, []);
    assertEquals(world.clock.pendingTimers, 0, "nothing is left");
  }
});

Deno.test("runManagerProcess tells its supervisor that it waits for the lease, leads and stops", async () => {
  const world = new FakeWorld();
  const api = createApiServer({ world });
  const transport = (request: Request) => api.fetch(request);
  const server = "http://api";
  const heard: string[] = [];
  const stop = new AbortController();
  const running = runManagerProcess({
    world,
    options: managerOptions(
      managerFlags(["--secure-port=0", "--controller-groups=none", "--controllers=namespace-controller"]),
    ),
    identity: "me",
    file: () => ({ text: "" }),
    endpointClients: {},
    setVerbosity: () => {},
    spawn: () => {
      throw new TypeError("there are no groups");
    },
    supervisor: { send: (message) => Promise.resolve(heard.push(message)) },
    clients: () => ({
      controllers: new TransportClientBuilder({
        program: "kube-controller-manager",
        world,
        transport,
        server,
        qps: -1,
        burst: 0,
      }),
      access: { transport: () => transport },
      server,
      log: () => {},
      election: new Client({ world, transport, server, userAgent: "election" }),
    }),
  }, stop.signal);
  await world.clock.advance(30_000);
  stop.abort();
  await world.clock.advance(30_000);
  assertEquals(await running, 0);
  assertEquals(heard, ["READY=1", "STATUS=Waiting for the lease", "STATUS=Leading", "STOPPING=1", "STATUS=Stopping"]);
});
