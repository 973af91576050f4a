/**
 * Nothing is in `deno.json` that nobody imports: a dependency that is mapped is downloaded, locked and listed. And who
 * imports fast-check.
 */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join, relative } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** What a module imports; the examples in its comments do not count. */
function importsOf(text: string): string[] {
  const code = text.replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, "");
  return [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g)].map(([, specifier]) => specifier);
}

/** The names of dependencies that none of the modules imports. */
function unusedDependencies(imports: Readonly<Record<string, string>>, modules: Iterable<string>): string[] {
  const used = new Set([...modules].flatMap(importsOf));
  return Object.keys(imports).filter((name) => /^(?:npm|jsr|https?):/.test(imports[name]) && !used.has(name));
}

function* filesIn(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* filesIn(join(folder, name));
    else if (name.endsWith(".ts")) yield join(folder, name);
  }
}

const everyFile = ["src", "tests", ".ci"].flatMap((folder) => [...filesIn(join(ROOT, folder))]);

Deno.test("every dependency is imported by a module of the program, its tests or its tools", async () => {
  const { imports } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const modules = everyFile.map((file) => Deno.readTextFileSync(file));
  assert(modules.length > 1000 && Object.keys(imports).length > 20, "the whole repository is looked at");
  assertEquals(unusedDependencies(imports, modules), []);
});

Deno.test("properties get their seed from one place", () => {
  const importers = everyFile.filter((file) => importsOf(Deno.readTextFileSync(file)).includes("fast-check"));
  assertEquals(importers.map((file) => relative(ROOT, file)), ["tests/fast_check.ts"]);
});

Deno.test("unusedDependencies finds what no module imports, or only an example", () => {
  const imports = { a: "npm:a@1", b: "npm:b@1/b.js", c: "jsr:@c/c@1", d: "npm:d@1", e: "npm:e@1", own: "./mod.ts" };
  const modules = [
    `import "a";\nimport {\n  type B,\n} from "b";\nconst c = await import("c");`,
    `/**\n * import { d } from "d";\n */\n// import "e";\nexport const f = 1;`,
  ];
  assertEquals(unusedDependencies(imports, modules), ["d", "e"]);
});
