import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { FakeWorld, settle } from "../../../../src/base/mod.ts";
import {
  AccountToken,
  ConnectionError,
  type Dial,
  exchangeOf,
  type Transport,
  WriteRefusedError,
} from "../../../../src/client/mod.ts";
import { SharedFence } from "../../../../src/election/mod.ts";
import { DirectClients } from "../../../../src/manager/groups/direct_clients.ts";
import { Port } from "../../../../src/manager/groups/port.ts";
import type { PortAsk, PortCancel, PortFailure, PortReply } from "../../../../src/manager/groups/port_messages.ts";
import { needsOf } from "../../../../src/controllers/mod.ts";
import { OpenSupplies } from "../../../../src/manager/mod.ts";
import { PortServer } from "../../../../src/manager/groups/port_server.ts";
import { FakeSocket, response } from "../../client/test_socket.ts";
import { outcomeOf, SERVER } from "../../client/test_server.ts";

function inMs({ clock }: FakeWorld, ms: number) {
  return { monotonicMs: clock.monotonicMs() + ms, wallMs: clock.wallMs() + ms };
}

/** A thread of its own and the main thread, with the port between them. */
function setUp({ issue, isDirect = true, statuses = [], nobody }: {
  issue?: () => Promise<{ authorization: string; usableMs: number }>;
  isDirect?: boolean;
  /** Of the API server's answers, in order. */
  statuses?: string[];
  /** A real address where nobody listens, instead. */
  nobody?: string;
} = {}) {
  const world = new FakeWorld();
  /** How long the main thread takes until it hears. */
  const state = { slowMs: 0 };
  const sockets: FakeSocket[] = [];
  const asked: string[] = [];
  let issued = 0;
  const token = new AccountToken({
    world,
    name: "job-controller",
    issue: issue ?? (() => Promise.resolve({ authorization: `Bearer token-${++issued}`, usableMs: 10_000 })),
  });
  const transport = (): Transport => () => Promise.resolve(Response.json({}));
  const direct = { address: "example.test:443", token: () => token, tls: () => ({ ca: "CA" }) };
  const access = isDirect ? { transport, direct } : { transport };
  const server: PortServer = new PortServer({
    ...new OpenSupplies(world, needsOf([])),
    port: { postMessage: (answer) => deliver(answer) },
    clock: world.clock,
    access,
  });
  const port: Port = new Port({
    postMessage: (message: PortAsk | PortCancel) => {
      asked.push(message.what === "query" ? message.query.about : message.what);
      const take = () => server.receive(structuredClone(message));
      if (state.slowMs > 0) world.clock.setTimer(state.slowMs, take);
      else queueMicrotask(take);
    },
  });
  const deliver = (answer: PortReply | PortFailure) => queueMicrotask(() => port.receive(structuredClone(answer)));
  const fence = new SharedFence();
  const own = fence.lend();
  const times = new BigInt64Array(own.memory);
  const dial: Dial = () => {
    const socket = new FakeSocket().push(response("{}", statuses.shift() ?? "200 OK", "Connection: close\r\n"));
    sockets.push(socket);
    return Promise.resolve(socket);
  };
  const clients = new DirectClients({
    program: "kube-controller-manager",
    world,
    server: nobody ?? SERVER,
    port,
    readFence: (slot) => times[slot],
    dial: nobody ? undefined : dial,
  });
  const send = (method: string) =>
    exchangeOf(clients.transport("job-controller"))({ method, url: `${nobody ?? SERVER}/x`, headers: {} });
  return { world, state, sockets, asked, port, fence, own, clients, send };
}

Deno.test("DirectClients: a token is asked for when one is needed, kept for as long as the main thread says, and sent as the account's", async () => {
  const { sockets, asked, send, world, clients } = setUp();
  assertEquals((await send("GET")).status, 200);
  assertEquals(asked, ["token", "clock"]);
  assertStringIncludes(sockets[0].written, "authorization: Bearer token-1\r\n");
  assertStringIncludes(sockets[0].written, "/system:serviceaccount:kube-system:job-controller\r\n");
  await world.clock.advance(9999);
  await send("GET");
  assertEquals(asked, ["token", "clock"]);
  await world.clock.advance(1);
  await send("GET");
  assertEquals(asked, ["token", "clock", "token", "clock"]);
  assert(sockets.at(-1)!.written.includes("Bearer token-2"));
  assertEquals(clients.transport("job-controller"), clients.transport("job-controller"), "one token for a name");
});

Deno.test("DirectClients: a token is given up after a 401, by the main thread too", async () => {
  const { sockets, asked, send, world } = setUp({ statuses: ["200 OK", "401 Unauthorized"] });
  await send("GET");
  await world.clock.advance(2000);
  assertEquals((await send("GET")).status, 401);
  assertEquals((await send("GET")).status, 200);
  assertEquals(asked, ["token", "clock", "token", "clock"]);
  assertEquals(sockets.map(({ written }) => /token-\d/.exec(written)?.[0]), ["token-1", "token-1", "token-2"]);
});

Deno.test("DirectClients: right before the bytes of a request that writes leave, the fence is asked: they write while it is open, and not a byte afterwards", async () => {
  const { sockets, fence, send, world } = setUp();
  const isRefused = async () => void await assertRejects(() => send("POST"), WriteRefusedError);
  await isRefused();
  fence.openUntil(inMs(world, 1000));
  assertEquals((await send("POST")).status, 200);
  await world.clock.advance(999);
  assertEquals((await send("PATCH")).status, 200);
  await world.clock.advance(1);
  await isRefused();
  assertEquals((await send("GET")).status, 200, "reading is no matter of the lease");
  fence.openUntil();
  assertEquals((await send("DELETE")).status, 200);
  fence.close();
  await isRefused();
  assertEquals(sockets.filter(({ written }) => /^(POST|PATCH|DELETE)/.test(written)).length, 3);
});

Deno.test("DirectClients write no more once their thread is given up", async () => {
  const { fence, own, send, sockets } = setUp();
  fence.openUntil();
  assertEquals((await send("POST")).status, 200);
  own.takeBack();
  await assertRejects(() => send("POST"), WriteRefusedError);
  assertEquals(sockets.filter(({ written }) => written.startsWith("POST")).length, 1);
});

Deno.test("DirectClients: clocks are compared with each token, and after each refusal: whose first comparison took longer than the lease writes after the next", async () => {
  const { fence, send, state, world } = setUp();
  state.slowMs = 20_000;
  const first = send("GET");
  await world.clock.advance(20_000);
  await first;
  state.slowMs = 0;
  fence.openUntil(inMs(world, 15_000));
  await assertRejects(() => send("POST"), WriteRefusedError, "", "it may be 20 s later than this thread can know");
  await world.clock.advance(0);
  assertEquals((await send("POST")).status, 200);
});

Deno.test("DirectClients refuse to write when the main thread may not even ask for a token", async () => {
  const refusal = new WriteRefusedError({ method: "POST", url: "x" });
  const { send } = setUp({ issue: () => Promise.reject(refusal) });
  await assertRejects(() => send("GET"), WriteRefusedError, "POST serviceaccounts/job-controller/token was not sent");
});

Deno.test("PortServer says what connections are made with", async () => {
  assertEquals(await setUp().port.ask({ about: "tls" }), { ca: "CA" });
});

Deno.test("PortServer gives no tokens where groups do not send by themselves", async () => {
  const { port } = setUp({ isDirect: false });
  await assertRejects(() => port.ask({ about: "token", client: "job-controller" }), Error, "does not send by itself");
  await assertRejects(() => port.ask({ about: "tls" }), Error, "does not send by itself");
});

Deno.test("DirectClients: connection settings are requested before each connection is opened", async () => {
  const { asked, send } = setUp({ nobody: "https://127.0.0.1:1" });
  for (const count of [1, 2]) {
    await assertRejects(() => send("GET"), ConnectionError);
    assertEquals(asked.filter((about) => about === "tls").length, count);
  }
});

Deno.test("Port: answers come to the queries they belong to, in whatever order", async () => {
  const ids: number[] = [];
  const port = new Port({ postMessage: ({ id }) => ids.push(id) });
  const asked = [port.ask({ about: "clock" }), port.ask({ about: "clock" })];
  port.receive({ what: "reply", id: ids[1], answer: { heardMs: 2 } });
  port.receive({ what: "reply", id: ids[0], answer: { heardMs: 1 } });
  assertEquals(await Promise.all(asked), [{ heardMs: 1 }, { heardMs: 2 }]);
});

Deno.test("Port: a failed connection fails in the same way on this side, and a refusal throws the same error", async () => {
  const refused = new WriteRefusedError({ method: "POST", url: "x" });
  for (const failure of [new ConnectionError("refused", "nobody listens"), refused]) {
    const { port } = setUp({ issue: () => Promise.reject(failure) });
    const error = await assertRejects(() => port.ask({ about: "token", client: "job-controller" }));
    assertEquals(error instanceof WriteRefusedError, failure === refused);
    if (failure instanceof ConnectionError) assertEquals((error as ConnectionError).failure, failure.failure);
  }
});

Deno.test("PortServer: after close nothing is answered any more, and what was under way is given up", async () => {
  const world = new FakeWorld();
  const late = Promise.withResolvers<Response>();
  let signal: AbortSignal | undefined;
  const answers: unknown[] = [];
  const server = new PortServer({
    port: { postMessage: (answer) => answers.push(answer) },
    clock: world.clock,
    access: {
      transport: () => (request) => {
        signal = request.signal;
        return late.promise;
      },
    },
    ...new OpenSupplies(world, needsOf([])),
  });
  const query = { about: "request", client: "x", method: "GET", url: `${SERVER}/x`, headers: {} } as const;
  server.receive({ what: "query", id: 1, query });
  await settle();
  assertEquals([server.running, signal?.aborted], [1, false]);
  server.close();
  assertEquals([server.running, signal?.aborted], [0, true]);
  late.resolve(Response.json({}));
  await settle();
  assertEquals(answers, []);
});

Deno.test("Port: a query whose signal aborts is given up at both ends", async () => {
  const { port, asked, world } = setUp({ issue: () => new Promise(() => {}) });
  const stop = new AbortController();
  const outcome = outcomeOf(port.ask({ about: "token", client: "job-controller" }, stop.signal));
  await world.clock.advance(10);
  assertEquals(outcome.isSettled, false);
  stop.abort(new Error("enough"));
  await world.clock.advance(10);
  assertEquals([(outcome.error as Error).message, asked], ["enough", ["token", "cancel"]]);
});
