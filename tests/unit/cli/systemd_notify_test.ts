import { assert, assertEquals, assertMatch } from "@std/assert";
import { MemoryLogger } from "../../../src/base/mod.ts";
import { systemdSupervisor } from "../../../src/cli/systemd_notify.ts";

/** A folder, with a socket such as systemd's in it. */
class Systemd implements AsyncDisposable {
  readonly folder = Deno.makeTempDirSync({ prefix: "kubeloop-notify-" });
  readonly path = `${this.folder}/notify`;
  readonly #socket = Deno.listenDatagram({ transport: "unixpacket", path: this.path });

  async next(): Promise<string> {
    const [bytes] = await this.#socket.receive();
    return new TextDecoder().decode(bytes);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    return Deno.remove(this.folder, { recursive: true });
  }
}

Deno.test("systemdSupervisor sends what is said as datagrams, and leaves no socket behind", async () => {
  await using systemd = await Promise.resolve(new Systemd());
  const log = new MemoryLogger();
  {
    using supervisor = systemdSupervisor(
      { NOTIFY_SOCKET: systemd.path, RUNTIME_DIRECTORY: `${systemd.folder}:/elsewhere` },
      log,
    )!;
    await supervisor.send("READY=1");
    await supervisor.send("STOPPING=1");
    assertEquals([await systemd.next(), await systemd.next()], ["READY=1", "STOPPING=1"]);
  }
  assertEquals([...Deno.readDirSync(systemd.folder)].map(({ name }) => name), ["notify"]);
  assertEquals(log.lines, []);
});

Deno.test("systemdSupervisor hears how long the watchdog waits, unless another process is meant", async () => {
  await using systemd = await Promise.resolve(new Systemd());
  const intervalMs = (more: Record<string, string>) => {
    const env = { NOTIFY_SOCKET: systemd.path, RUNTIME_DIRECTORY: systemd.folder, ...more };
    using supervisor = systemdSupervisor(env, new MemoryLogger());
    assert(supervisor !== undefined);
    return supervisor?.watchdogMs;
  };
  assertEquals(intervalMs({}), undefined);
  assertEquals(intervalMs({ WATCHDOG_USEC: "80000000" }), 80_000);
  assertEquals(intervalMs({ WATCHDOG_USEC: "80000000", WATCHDOG_PID: String(Deno.pid) }), 80_000);
  assertEquals(intervalMs({ WATCHDOG_USEC: "80000000", WATCHDOG_PID: "1" }), undefined);
  assertEquals(intervalMs({ WATCHDOG_USEC: "soon" }), undefined);
});

Deno.test("systemdSupervisor is not there, with a line that says why, where systemd cannot be told", () => {
  const folder = "/nonexistent";
  const cases: [env: Record<string, string>, why: RegExp | undefined][] = [
    [{}, undefined],
    [{ RUNTIME_DIRECTORY: folder, WATCHDOG_USEC: "1000" }, undefined],
    [{ NOTIFY_SOCKET: "@abstract", RUNTIME_DIRECTORY: folder }, /no path/],
    [{ NOTIFY_SOCKET: "vsock:2:1", RUNTIME_DIRECTORY: folder }, /no path/],
    [{ NOTIFY_SOCKET: "/run/systemd/notify" }, /no RuntimeDirectory/],
    [{ NOTIFY_SOCKET: "/run/systemd/notify", RUNTIME_DIRECTORY: folder }, /No such file/],
  ];
  for (const [env, why] of cases) {
    const log = new MemoryLogger();
    assertEquals(systemdSupervisor(env, log), undefined);
    assertEquals(log.lines.length, why ? 1 : 0);
    if (why) assertMatch(String(log.lines[0].fields.err), why);
  }
});
