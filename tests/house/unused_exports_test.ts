/** Nothing in `src` is there for nobody: exports and files that only tests use are found, by room. */
import { assert, assertEquals } from "@std/assert";
import { parseModule, repository, unusedBehindDoors, unusedExports } from "./unused_exports.ts";

Deno.test("every export and file is used, or offered to others by a door of the library", async () => {
  const { modules, doors } = await repository();
  assert(modules.size > 1000 && doors.has("mod.ts"), "the whole repository is looked at");
  assertEquals(Object.groupBy(unusedExports(modules, doors), (path) => path.split("/").slice(1, -1).join("/")), {});
});

/** Offered to the library's users alone, and why. */
const OFFERED: Readonly<Record<string, string>> = {
  "src/client/status_predicates.ts: isNotAcceptable": "there is a predicate for each reason of the API",
  "src/client/status_predicates.ts: isRequestEntityTooLarge": "there is a predicate for each reason of the API",
  "src/client/status_predicates.ts: isStorageReadError": "there is a predicate for each reason of the API",
  "src/client/status_predicates.ts: isUnauthorized": "there is a predicate for each reason of the API",
  "src/cloud/older_instances.ts: instancesOf": "for providers with the two older interfaces of upstream's framework",
  "src/watch/json_frame_reader.ts: JsonFrameReader": "the scanner of watches as a stream",
};

Deno.test("every name behind a door is used by src or an example, or offered for a reason", async () => {
  const { modules, programs } = await repository();
  assertEquals(unusedBehindDoors(modules, programs), Object.keys(OFFERED));
});

function unused(files: Readonly<Record<string, string>>): string[] {
  const modules = new Map(Object.entries(files).map(([path, text]) => [path, parseModule(path, text)]));
  return unusedExports(modules, new Set(["mod.ts"]));
}

Deno.test("unusedExports finds what nobody or only a test imports, and files nobody imports", () => {
  assertEquals(
    unused({
      "mod.ts": `export * from "./src/a.ts";\nexport { b as offered } from "./src/b.ts";`,
      "src/a.ts": `export const a = 1;`,
      "src/b.ts": `export const b = 1;\nexport function dead() {}\nexport const tested = 2;`,
      "src/c.ts": `export const c = 1;`,
      "tests/b_test.ts": `import { tested } from "../src/b.ts";`,
    }),
    ["src/b.ts: dead", "src/b.ts: tested", "src/c.ts"],
  );
});

Deno.test("unusedExports follows names through doors of rooms, and takes a part tested by itself for used", () => {
  assertEquals(
    unused({
      "mod.ts": `export { top } from "./src/top.ts";`,
      "src/top.ts": `import { one as first } from "./room/mod.ts";\nexport const top = first;`,
      "src/room/mod.ts": `export * from "./one.ts";\nexport { two } from "./two.ts";`,
      "src/room/one.ts": `export interface Options {}\nexport const part = 1;\nexport const loose = 1;\n` +
        `export const one = (options: Options) => part + loose;`,
      "src/room/two.ts": `/** Not two(). */\nexport const two = 2;`,
      "tests/one_test.ts": `import { part } from "../src/room/one.ts";`,
    }),
    ["src/room/one.ts: loose", "src/room/two.ts: two"],
  );
});

Deno.test("unusedBehindDoors finds what a door offers and only its own tests use", () => {
  const files: Record<string, string> = {
    "main.ts": `import { run } from "./src/run.ts";`,
    "kubeloop": `export * from "./src/mod.ts";`,
    "src/run.ts": `import { a } from "./mod.ts";\nexport const run = a;`,
    "src/mod.ts": `export * from "./all.ts";`,
    "src/all.ts":
      `export const a = 1;\nexport const shown = 1;\nexport const tested = 1;\nexport function dead() {}\n` +
      `export class Named {}\nexport function loose(named: Named) {}\n` +
      `export function part() {}\nloose(new Named());\npart();`,
    "tests/all_test.ts": `import { part, tested } from "../src/mod.ts";`,
    "tests/sandbox/all_test.ts": `import { shown } from "kubeloop";`,
  };
  const modules = new Map(Object.entries(files).map(([path, text]) => [path, parseModule(path, text)]));
  assertEquals(unusedBehindDoors(modules, new Set(["main.ts"])), [
    "src/all.ts: dead",
    "src/all.ts: loose",
    "src/all.ts: tested",
  ]);
});
