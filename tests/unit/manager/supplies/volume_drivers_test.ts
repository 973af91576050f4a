import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Deferred, FakeWorld, settle, systemWorld } from "../../../../src/base/mod.ts";
import type { ExecRequest, ExecRunner } from "../../../../src/client/mod.ts";
import { type DriverCall, DriverError } from "../../../../src/controllers/mod.ts";
import { VolumeDrivers } from "../../../../src/manager/supplies/volume_drivers.ts";

const FOLDER = "/exec";
const PROGRAM = "/exec/acme~disk/disk";
const DRIVER = "acme/disk";
const { signal: never } = new AbortController();
const SUCCESS = '{"status":"Success"}';

/** Drivers whose programs are a function. */
function setUp(answer: (command: string, request: ExecRequest) => string | Promise<string> = () => SUCCESS) {
  const world = new FakeWorld();
  const runs: string[] = [];
  let mayWrite = true;
  const run: ExecRunner = async (request) => {
    runs.push([request.command, ...request.args].join(" "));
    return { code: 0, stdout: await answer(request.args[0], request) };
  };
  const put = (path: string, modifiedMs = 1) => {
    const entry = { isLink: false, owner: 0, mode: 0o755, modifiedMs };
    world.entries.set(path.slice(0, path.lastIndexOf("/")), { ...entry, isFolder: true });
    world.entries.set(path, { ...entry, isFolder: false });
  };
  put(PROGRAM);
  const drivers = new VolumeDrivers({ world, folder: `${FOLDER}/`, run }).behind(() => mayWrite);
  const call = (command: DriverCall["command"], { driver = DRIVER, signal = never } = {}) =>
    drivers.call({ driver, command, args: ["a", "b"] }, signal);
  return { world, runs, put, drivers, call, forbid: () => mayWrite = false };
}

Deno.test("VolumeDrivers: a driver can be used once its program has succeeded with init", async () => {
  const { put, drivers, runs, call } = setUp((command, { command: program }) => {
    if (program.endsWith("/plain")) return '{"status":"Success","capabilities":{"attach":false}}';
    if (program.endsWith("/broken")) return "oh no";
    return command === "attach" ? '{"status":"Success","device":"/dev/x"}' : SUCCESS;
  });
  for (const name of ["plain/plain", "x~broken/broken", ".hidden/hidden", "acme~disk2/other", "a~b~c/c", "-x~y/y"]) {
    put(`${FOLDER}/${name}`);
  }
  assertEquals(await drivers.find(), [{ name: DRIVER, attaches: true }, { name: "plain", attaches: false }]);
  assertEquals(runs.sort(), [`${PROGRAM} init`, "/exec/plain/plain init", "/exec/x~broken/broken init"]);
  assertEquals(await call("attach"), { device: "/dev/x", isAttached: false });
  assertEquals(runs.at(-1), `${PROGRAM} attach a b`);
});

Deno.test("VolumeDrivers: a driver can be used once its program succeeded; it is run again when its file has changed, and, after a failure, each minute", async () => {
  let output = SUCCESS;
  const { world, runs, drivers, put } = setUp(() => output);
  const find = async () => [(await drivers.find()).length, runs.splice(0).length];
  assertEquals([await find(), await find()], [[1, 1], [1, 0]]);
  output = "";
  put(PROGRAM, 2);
  assertEquals([await find(), await find()], [[0, 1], [0, 0]]);
  await world.clock.advance(60_000);
  output = SUCCESS;
  assertEquals([await find(), await find()], [[1, 1], [1, 0]]);
  world.entries.delete(PROGRAM);
  assertEquals(await find(), [0, 0]);
  put(PROGRAM, 2);
  assertEquals(await find(), [1, 1]);
});

Deno.test("VolumeDrivers: a program is run with init again when its file has changed, also if it is a link to one", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const [target, program] = [`${folder}/disk-1.0`, `${folder}/exec/acme~disk/disk`];
    await Deno.mkdir(`${folder}/exec/acme~disk`, { recursive: true });
    await Deno.writeTextFile(target, "");
    await Deno.symlink(target, program);
    const world = new FakeWorld();
    const runs: string[] = [];
    const run: ExecRunner = ({ args }) => {
      runs.push(args.join(" "));
      return Promise.resolve({ code: 0, stdout: SUCCESS });
    };
    const { clock, log } = world;
    const { files } = systemWorld(log);
    const drivers = new VolumeDrivers({ world: { clock, log, files }, folder: `${folder}/exec`, run }).behind(() =>
      true
    );
    const find = async () => [(await drivers.find()).length, runs.splice(0).length];
    assertEquals([await find(), await find()], [[1, 1], [1, 0]]);
    await Deno.utime(target, 1, 1);
    assertEquals([await find(), await find()], [[1, 1], [1, 0]]);
    await Deno.remove(target);
    assertEquals(await find(), [0, 0]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("VolumeDrivers: everybody who looks at the same time shares one look, and one init of each driver", async () => {
  const { drivers, runs } = setUp();
  const [one, other] = await Promise.all([drivers.find(), drivers.find()]);
  assertEquals([one, runs], [other, [`${PROGRAM} init`]]);
});

Deno.test("VolumeDrivers: a folder that cannot be looked into keeps no other driver away", async () => {
  const { world, put, drivers } = setUp();
  put(`${FOLDER}/locked/locked`);
  const look = world.files.look.bind(world.files);
  world.files.look = async (path) => {
    if (path.startsWith(`${FOLDER}/locked`)) throw new Deno.errors.PermissionDenied("Permission denied");
    return await look(path);
  };
  assertEquals(await drivers.find(), [{ name: DRIVER, attaches: true }]);
  assertEquals(world.log.lines.filter(({ message }) => message.endsWith("it cannot be looked at")).length, 1);
});

Deno.test("VolumeDrivers: only programs of drivers that were found are run, whatever a call names", async () => {
  const { runs, drivers, call } = setUp();
  await assertRejects(() => call("attach"), DriverError, `no volume plugin matched name: ${DRIVER}`);
  await drivers.find();
  runs.length = 0;
  for (const driver of ["acme~disk", "../bin/sh", "acme/disk/../disk", "", "__proto__", "/exec/acme~disk"]) {
    await assertRejects(() => call("attach", { driver }), DriverError, `no volume plugin matched name: ${driver}`);
  }
  await assertRejects(() => call("unmount" as "attach"), DriverError, "no volume plugin matched name");
  assertEquals(runs, []);
});

Deno.test("VolumeDrivers: a program that does not end within two minutes, `init` within half a minute, is ended and has failed", async () => {
  let isStuck = true;
  const { world, drivers, put, call } = setUp((_command, { signal }) => {
    if (!isStuck) return SUCCESS;
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  });
  const finding = drivers.find();
  await world.clock.advance(30_000);
  assertEquals(await finding, []);
  const [{ fields }] = world.log.lines;
  assertStringIncludes(String(fields?.err), "init did not end within 30 s");
  isStuck = false;
  put(PROGRAM, 2);
  await drivers.find();
  isStuck = true;
  const failing = assertRejects(() => call("attach"), DriverError, "attach did not end within 120 s");
  await world.clock.advance(120_000);
  await failing;
  const stop = new AbortController();
  const given = assertRejects(() => call("detach", { signal: stop.signal }), Error, "over");
  await settle();
  stop.abort(new Error("over"));
  await given;
});

Deno.test("VolumeDrivers: no more than 32 programs of a driver run at the same time; the rest wait, and no other driver does", async () => {
  const held = new Deferred();
  const { runs, drivers, put, call } = setUp(async (command) => {
    if (command === "attach") await held.promise;
    return SUCCESS;
  });
  put("/exec/acme~other/other");
  await drivers.find();
  runs.length = 0;
  const calls = Array.from({ length: 100 }, () => call("attach"));
  await settle();
  assertEquals(runs.length, 32);
  assertEquals(await call("detach", { driver: "acme/other" }), { device: "", isAttached: false });
  held.resolve();
  await Promise.all(calls);
  assertEquals(runs.length, 101);
});

Deno.test("VolumeDrivers: no program is run for a call while this process may not write", async () => {
  const { runs, drivers, call, forbid } = setUp();
  await drivers.find();
  runs.length = 0;
  forbid();
  await assertRejects(() => call("detach"), DriverError, "this process may not write any more");
  assertEquals(runs, []);
});

Deno.test("VolumeDrivers: a command that a driver does not support is not run again, until its file has changed", async () => {
  const { runs, drivers, put, call } = setUp((command) =>
    command === "attach" ? '{"status":"Not supported"}' : SUCCESS
  );
  await drivers.find();
  assertEquals([await call("attach"), await call("attach")], [undefined, undefined]);
  assertEquals(runs, [`${PROGRAM} init`, `${PROGRAM} attach a b`]);
  put(PROGRAM, 2);
  await drivers.find();
  await call("attach");
  assertEquals(runs.length, 4);
});

Deno.test("VolumeDrivers looks into no more than a hundred folders, and says once that it cannot look", async () => {
  const { world, runs, drivers, put } = setUp();
  for (let i = 0; i < 200; i++) put(`${FOLDER}/a~d${i}/d${i}`);
  assertEquals((await drivers.find()).length, 100);
  assertEquals(runs.length, 100);
  const failing = new VolumeDrivers({
    world: { ...world, files: { ...world.files, list: () => Promise.reject(new Error("EIO")) } },
    folder: FOLDER,
    run: () => Promise.reject(new Error("must not run")),
  }).behind(() => true);
  const before = world.log.lines.length;
  assertEquals([await failing.find(), await failing.find()], [[], []]);
  assertEquals(world.log.lines.length, before + 1);
});
