import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeWorld, MemoryLogger, systemWorld } from "../../../../src/base/mod.ts";
import { UndeclaredNeedError } from "../../../../src/controllers/mod.ts";
import { RotatingFiles } from "../../../../src/manager/supplies/rotating_files.ts";

/** Files that are followed, and what a listener has heard of `ca`. */
async function setUp(files: Record<string, string>, origins = { ca: { path: "/ca" } }) {
  const world = new FakeWorld({ files });
  const rotating = new RotatingFiles(world, new Map(Object.entries(origins)));
  await rotating.read();
  const heard: string[] = [];
  const listening = rotating.onChange("ca", (text) => heard.push(text));
  const stop = new AbortController();
  const following = rotating.follow(stop.signal);
  return {
    world,
    rotating,
    heard,
    listening,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await following;
      assertEquals(world.clock.pendingTimers, 0);
    },
  };
}

Deno.test("RotatingFiles: a change counts once the file was read twice with the same content", async () => {
  await using files = await setUp({ "/ca": "one" });
  const { world, rotating, heard } = files;
  assertEquals(rotating.text("ca"), "one");
  world.fileContents.set("/ca", "tw");
  await world.clock.advance(10_000);
  assertEquals(rotating.text("ca"), "one", "somebody may be writing");
  world.fileContents.set("/ca", "two");
  await world.clock.advance(1000);
  assertEquals(rotating.text("ca"), "one");
  await world.clock.advance(1000);
  assertEquals([rotating.text("ca"), heard], ["two", ["two"]]);
  files.listening[Symbol.dispose]();
  world.fileContents.set("/ca", "three");
  await world.clock.advance(12_000);
  assertEquals([rotating.text("ca"), heard], ["three", ["two"]]);
});

Deno.test("RotatingFiles: while a file cannot be read, is not a regular file or exceeds a mebibyte, its last text stays", async () => {
  await using files = await setUp({ "/ca": "one" });
  const { world, rotating, heard } = files;
  world.fileContents.delete("/ca");
  await world.clock.advance(60_000);
  assertEquals([rotating.text("ca"), world.log.lines.length], ["one", 1]);
  world.fileContents.set("/ca", "x".repeat(1024 * 1024 + 1));
  await world.clock.advance(60_000);
  assertEquals([rotating.text("ca"), world.log.lines.length, heard], ["one", 2, []]);
  world.fileContents.set("/ca", "two");
  await world.clock.advance(11_000);
  assertEquals([rotating.text("ca"), heard], ["two", ["two"]]);
});

Deno.test("RotatingFiles: a file that was never read fails who asks for it, and comes later", async () => {
  await using files = await setUp({});
  const { world, rotating, heard } = files;
  assertThrows(() => rotating.text("ca"), Error, "Cannot read the file of --ca: open /ca: No such file");
  world.fileContents.set("/ca", "one");
  await world.clock.advance(11_000);
  assertEquals([rotating.text("ca"), heard], ["one", ["one"]]);
});

Deno.test("RotatingFiles: a file that is slow to read does not delay the others, nor the end from coming", async () => {
  const world = new FakeWorld({ files: { "/ca": "one", "/pipe": "" } });
  const readText = (path: string, maxBytes?: number) =>
    path === "/pipe" ? new Promise<string>(() => {}) : world.files.readText(path, maxBytes);
  const rotating = new RotatingFiles(
    { clock: world.clock, random: world.random, log: world.log, files: { ...world.files, readText } },
    new Map([["pipe", { path: "/pipe" }], ["ca", { path: "/ca" }]]),
  );
  void rotating.read();
  const stop = new AbortController();
  const following = rotating.follow(stop.signal);
  await world.clock.advance(11_000);
  assertEquals(rotating.text("ca"), "one");
  stop.abort();
  await following;
});

Deno.test("FileTexts: it holds the files that it started with, and no others; a flag without a path is an empty text", async () => {
  await using files = await setUp({}, { ca: { path: "" } });
  assertEquals(files.rotating.text("ca"), "");
  for (const flag of ["key", "__proto__", "constructor", ""]) {
    assertThrows(
      () => files.rotating.text(flag),
      UndeclaredNeedError,
      `the file of --${flag}: its row must declare it`,
    );
    assertThrows(() => files.rotating.onChange(flag, () => {}), UndeclaredNeedError);
  }
});

Deno.test("FileTexts: a listener hears of each new text; one that throws is logged", async () => {
  await using files = await setUp({ "/ca": "one" });
  const { world, rotating } = files;
  rotating.onChange("ca", () => {
    throw new Error("out of luck");
  });
  const heard: string[] = [];
  rotating.onChange("ca", (text) => heard.push(text));
  world.fileContents.set("/ca", "two");
  await world.clock.advance(11_000);
  assertEquals(heard, ["two"]);
  assertEquals(world.log.lines.filter(({ message }) => message.startsWith("A listener of a file failed")).length, 1);
});

/** What stands at a path where a file was expected. */
const ODDITIES: readonly (readonly [what: string, why: string, make: (path: string) => Promise<unknown>])[] = [
  ["a folder", "it is not a regular file", (path) => Deno.mkdir(path)],
  ["a FIFO", "it is not a regular file", (path) => new Deno.Command("mkfifo", { args: [path] }).output()],
  ["a huge file", "it is longer than 1024 bytes", (path) => Deno.writeFile(path, new Uint8Array(1_000_000))],
  ["a file without an end", "it is not a regular file", (path) => Deno.symlink("/dev/zero", path)],
];

for (const [what, why, make] of ODDITIES) {
  Deno.test(`systemWorld reads at most what it was told to, and ${what} is an error`, async () => {
    const folder = await Deno.makeTempDir();
    try {
      const { files } = systemWorld(new MemoryLogger());
      await make(`${folder}/file`);
      await assertRejects(() => files.readText(`${folder}/file`, 1024), Error, why);
      await Deno.writeTextFile(`${folder}/text`, "é".repeat(512));
      assertEquals(await files.readText(`${folder}/text`, 1024), "é".repeat(512));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
