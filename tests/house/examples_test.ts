/**
 * The documentation's examples run, each a module of its own that imports all it uses, so that `deno test --doc` takes them too. That
 * would load the program anew for each, which takes twenty times as long. `deno task check` checks their types.
 */
import { assertGreater } from "@std/assert";
import { toFileUrl } from "@std/path";

const ROOT = new URL("../../", import.meta.url);

interface Example {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) yield* sources(`${folder}${name}/`);
    else if (/\.(ts|md)$/.test(name)) yield `${folder}${name}`;
  }
}

/** The examples of a file: in the comments of code, and anywhere in a page. */
function examplesOf(file: string, text: string): Example[] {
  const isPage = file.endsWith(".md");
  const fence = isPage ? /^```ts\n(.*?)^```$/gms : /^ *\* ```ts\n(.*?)^ *\* ```$/gms;
  return [...text.matchAll(fence)].map(({ 1: body, index }) => ({
    file,
    line: text.slice(0, index).split("\n").length,
    code: isPage ? body : body.replaceAll(/^ *\* ?/gm, ""),
  }));
}

/** The example's code for a module that lies elsewhere, where its imports would mean something else. */
function moduleOf({ file, code }: Example): string {
  const home = new URL(file, ROOT);
  const resolved = (specifier: string) =>
    specifier.startsWith(".") ? new URL(specifier, home).href : import.meta.resolve(specifier);
  return code.replaceAll(
    /\b(from|import) "([^"]+)";$/gm,
    (_, keyword, specifier) => `${keyword} ${JSON.stringify(resolved(specifier))};`,
  );
}

const files = ["README.md", ...(await Array.fromAsync(sources("src/"))).toSorted()];
const examples = (await Promise.all(
  files.map(async (file) => examplesOf(file, await Deno.readTextFile(new URL(file, ROOT)))),
)).flat();
const folder = await Deno.makeTempDir({ prefix: "kubeloop-examples-" });
Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));

for (const [at, example] of examples.entries()) {
  Deno.test(`the example at ${example.file}:${example.line} runs`, async () => {
    const path = `${folder}/${at + 1}.ts`;
    await Deno.writeTextFile(path, moduleOf(example));
    await import(toFileUrl(path).href);
  });
}

Deno.test("examples are found", () => assertGreater(examples.length, 150));
