import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { FakeWorld, type FileEntry, MemoryLogger, systemWorld } from "../../../../src/base/mod.ts";
import { FolderError } from "../../../../src/controllers/mod.ts";
import { TemporaryFolders } from "../../../../src/manager/supplies/temporary_folders.ts";

const OWN: FileEntry = { isFolder: true, isLink: false, owner: 1000, mode: 0o755 };
const REFUSED = "host_path deleter only supports /tmp/.+ but received provided";

function setUp(entries: Readonly<Record<string, Partial<FileEntry>>> = {}) {
  const world = new FakeWorld({ files: { "/etc/passwd": "root" } });
  for (const [path, entry] of Object.entries(entries)) world.entries.set(path, { ...OWN, ...entry });
  return { world, folders: new TemporaryFolders(world) };
}

const ELSEWHERE = [
  "/etc",
  "/tmp",
  "/tmp/",
  "/tmp//",
  "tmp/x",
  "",
  "/tmp/../etc",
  "/tmp/x/../../etc",
  "/tmp/x/..",
  "/tmp/.",
  "/tmp/./x",
  "/data/tmp/x",
  "//etc/tmp/x",
  "/tmpx/y",
  "/TMP/x",
  "/tmp/x\0/y",
];

for (const path of ELSEWHERE) {
  Deno.test(`TemporaryFolders: only what is below /tmp is removed, by a path without . and ..: not ${JSON.stringify(path)}`, async () => {
    const { world, folders } = setUp({ "/tmp/x": {}, "/data/tmp/x": {}, "/etc": {} });
    const before = [...world.entries.keys()];
    await assertRejects(() => folders.remove(path), FolderError, REFUSED);
    assertEquals([[...world.entries.keys()], world.fileContents.size], [before, 1]);
  });
}

Deno.test("TemporaryFolders: only what is below /tmp is removed, by a path without . and ..; a link is removed itself, not what it leads to", async () => {
  const { world, folders } = setUp({ "/tmp/x": {}, "/tmp/x/y": {}, "/tmp/link": { isFolder: false, isLink: true } });
  world.fileContents.set("/tmp/x/y/z", "data");
  await folders.remove("/tmp//x/");
  await folders.remove("/tmp/link");
  assertEquals([[...world.entries.keys()], [...world.fileContents.keys()]], [["/tmp"], ["/etc/passwd"]]);
});

const WAYS: readonly (readonly [string, Partial<FileEntry>, boolean])[] = [
  ["a link", { isFolder: false, isLink: true }, false],
  ["a file", { isFolder: false }, false],
  ["somebody else's", { owner: 1001 }, false],
  ["nobody's", { owner: null }, false],
  ["open to everybody", { mode: 0o777 }, false],
  ["open to its group", { mode: 0o770 }, false],
  ["our own", {}, true],
  ["root's", { owner: 0 }, true],
];

for (const [what, entry, isRemoved] of WAYS) {
  Deno.test(`TemporaryFolders: no folder on the way may be a link, and only root and this process's user may change its content: ${what}`, async () => {
    const { world, folders } = setUp({ "/tmp/way": entry, "/tmp/way/x": {} });
    if (isRemoved) await folders.remove("/tmp/way/x");
    else await assertRejects(() => folders.remove("/tmp/way/x"), FolderError, "unlink /tmp/way/x: ");
    assertEquals(world.entries.has("/tmp/way/x"), !isRemoved);
  });
}

Deno.test("TemporaryFolders: new folders have random names, in a folder that nobody else can change", async () => {
  const { world, folders } = setUp();
  const [first, second] = [await folders.make(), await folders.make()];
  assertMatch(first, /^\/tmp\/hostpath_pv\/[0-9a-f-]{36}$/);
  assert(first !== second);
  assertEquals([world.entries.get(first)?.mode, world.entries.get("/tmp/hostpath_pv")?.mode], [0o750, 0o750]);
  for (const [, entry] of WAYS.filter(([, , isGood]) => !isGood)) {
    const { folders } = setUp({ "/tmp/hostpath_pv": entry });
    await assertRejects(() => folders.make(), FolderError, "mkdir /tmp/hostpath_pv/");
  }
});

Deno.test("TemporaryFolders: removing a path that does not exist succeeds", async () => {
  const { folders } = setUp({ "/tmp/x": {} });
  for (const path of ["/tmp/a", "/tmp/x/a", "/tmp/a/b/c"]) await folders.remove(path);
});

Deno.test("TemporaryFolders on a real file system leave alone what links lead to", async () => {
  const folders = new TemporaryFolders(systemWorld(new MemoryLogger()));
  const kept = await Deno.makeTempDir({ dir: "/tmp", prefix: "kubeloop-kept-" });
  try {
    await Deno.writeTextFile(`${kept}/data`, "data");
    const path = await folders.make();
    await Deno.mkdir(`${path}/a/b`, { recursive: true });
    await Deno.symlink(kept, `${path}/a/link`);
    await Deno.symlink(kept, `${path}/link`);
    await assertRejects(() => folders.remove(`${path}/link/data`), FolderError, "is not a folder");
    await folders.remove(path);
    assertEquals(await Deno.readTextFile(`${kept}/data`), "data");
    await assertRejects(() => Deno.lstat(path), Deno.errors.NotFound);
    await folders.remove(path);
  } finally {
    await Deno.remove(kept, { recursive: true });
  }
});
