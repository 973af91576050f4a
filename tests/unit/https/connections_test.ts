/** How many connections an HTTPS server takes, and from whom; on real sockets, with addresses of the loopback network. */
import { assert, assertEquals } from "@std/assert";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { FakeClock } from "../../../src/base/mod.ts";
import { HttpsServer } from "../../../src/https/mod.ts";
import { Authority } from "../../controlplane/pki.ts";
import { eventually } from "../../controlplane/process.ts";

const authority = await Authority.create("serving");
const own = await authority.serving(["localhost"], ["127.0.0.1"]);

class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly #server: HttpsServer;
  readonly #sockets: Socket[] = [];
  /** Connections of `askAndStay` that have had an answer. */
  answered = 0;

  private constructor(clock: FakeClock, server: HttpsServer) {
    this.clock = clock;
    this.#server = server;
  }

  static async start(answer = () => Promise.resolve(new Response("ok"))): Promise<Rig> {
    const clock = new FakeClock();
    const where = { hostname: "127.0.0.1", port: 0 };
    return new Rig(clock, await HttpsServer.listen({ clock, ...where, certificates: { own }, handler: answer }));
  }

  get count(): number {
    return this.#server.connections.count;
  }

  get refused(): number {
    return this.#server.connections.refused;
  }

  /** Opens connections that say nothing, one after the other, and waits until the server has judged them. */
  async open(localAddress: string, count = 1): Promise<void> {
    const judged = this.count + this.refused + count;
    for (let i = 0; i < count; i++) {
      const socket = connectTcp({ host: "127.0.0.1", port: this.#server.port, localAddress });
      socket.on("error", () => {});
      socket.resume();
      this.#sockets.push(socket);
      if (i % 50 === 49) {
        await eventually("some were accepted", () => this.count + this.refused >= judged - count + i + 1);
      }
    }
    await eventually("all were accepted or refused", () => this.count + this.refused >= judged);
  }

  /** The status line of an answer, while time passes in steps; empty if the connection was refused. */
  async ask(localAddress: string, { stepMs = 5 }: { readonly stepMs?: number } = {}): Promise<string> {
    let answer = "";
    const { promise, resolve } = Promise.withResolvers<void>();
    // The types leave out what `net.connect` takes, too.
    const options: object = { host: "127.0.0.1", port: this.#server.port, rejectUnauthorized: false, localAddress };
    const socket = connectTls(options, () => socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
    socket.on("data", (chunk) => answer += chunk).on("error", () => {}).on("close", () => resolve());
    let isClosed = false;
    void promise.then(() => isClosed = true);
    await eventually("the connection ends", async () => {
      await this.clock.advance(stepMs);
      return isClosed;
    }, { everyMs: 5 });
    return answer.split("\r\n")[0];
  }

  /** Opens a connection, has an answer, and stays. */
  askAndStay(localAddress: string): void {
    const options: object = { host: "127.0.0.1", port: this.#server.port, rejectUnauthorized: false, localAddress };
    const socket = connectTls(options, () => socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    socket.once("data", () => this.answered++).on("error", () => {});
    this.#sockets.push(socket);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.#server.close();
    assertEquals([this.count, this.clock.pendingTimers], [0, 0], "nothing is left");
  }
}

Deno.test("HttpsConnections: at most 400 connections are open, 100 of them from one address; others are reset as soon as they are accepted", async () => {
  await using rig = await Rig.start();
  await rig.open("127.0.0.1", 150);
  assertEquals([rig.count, rig.refused], [100, 50]);
  assertEquals(await rig.ask("127.0.0.2"), "HTTP/1.1 200 OK", "another address does not notice");
});

Deno.test("HttpsConnections: an address at its limit of 100 gets a new one in place of its connection that has been idle longest, for at least a second", async () => {
  await using rig = await Rig.start();
  await rig.open("127.0.0.1", 100);
  assertEquals(await rig.ask("127.0.0.1"), "", "none has been idle for a second");
  await rig.clock.advance(3000);
  assertEquals(await rig.ask("127.0.0.1"), "HTTP/1.1 200 OK");
  assertEquals([rig.count, rig.refused], [99, 2]);
});

Deno.test("HttpsConnections: an address at its limit of 100 gets a new one in place of its connection that has been idle longest, for at least a second", async () => {
  await using rig = await Rig.start();
  for (let i = 0; i < 100; i++) rig.askAndStay("127.0.0.1");
  await eventually("all places are taken by connections that were answered", async () => {
    await rig.clock.advance(5);
    return rig.answered === 100;
  }, { everyMs: 5 });
  assertEquals(await rig.ask("127.0.0.1"), "HTTP/1.1 200 OK");
  assertEquals(rig.refused, 1);
});

Deno.test("HttpsConnections: at most 400 connections are open, 100 of them from one address; when 400 are open, an address that has fewer than another gets one of that address's", async () => {
  await using rig = await Rig.start();
  for (const address of ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"]) await rig.open(address, 100);
  assertEquals([rig.count, rig.refused], [400, 0]);
  assertEquals(await rig.ask("127.0.0.5"), "HTTP/1.1 200 OK");
  assertEquals([rig.count, rig.refused], [399, 1]);
  await rig.open("127.0.0.6", 100);
  assertEquals(rig.count, 400);
  assert(await rig.ask("127.0.0.7") !== "", "though nobody is idle");
});

Deno.test("HttpsConnections: handshakes begin in turns of the addresses, 50 at once, then 200 in a second", async () => {
  await using rig = await Rig.start();
  await rig.open("127.0.0.1", 90);
  const asked = rig.ask("127.0.0.2", { stepMs: 0 });
  await eventually("it was accepted", () => rig.count === 91);
  await rig.clock.advance(4);
  assertEquals(await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 50, "waits"))]), "waits");
  // A few turns are enough: after the 40 others it would be 200 ms.
  await rig.clock.advance(30);
  assertEquals(await asked, "HTTP/1.1 200 OK");
});

Deno.test("HttpsConnections: a connection whose request is being answered makes room for nobody of its address", async () => {
  const { promise: released, resolve } = Promise.withResolvers<void>();
  await using rig = await Rig.start(async () => {
    await released;
    return new Response("late");
  });
  const asked = rig.ask("127.0.0.1");
  await rig.open("127.0.0.1", 99);
  await eventually("its handshake is done", async () => {
    await rig.clock.advance(100);
    return rig.clock.monotonicMs() > 3000;
  });
  await rig.open("127.0.0.1", 99);
  resolve();
  assertEquals(await asked, "HTTP/1.1 200 OK");
});
