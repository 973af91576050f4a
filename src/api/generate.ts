/**
 * Writes `generated_types.ts` and `generated_resources.ts` from the schemas and paths in `openapi/`.
 *
 * Run: `deno task gen`; with `--verify` it writes nothing and fails if either file is not current.
 */
import { renderResources } from "./generate_resources.ts";
import { renderTypes } from "./generate_types.ts";
import type { Paths, Schemas } from "./openapi_document.ts";

const HERE = new URL("./", import.meta.url);

/** What each generated file should contain, by its name in this folder. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const read = async (name: string) => JSON.parse(await Deno.readTextFile(new URL(`openapi/${name}`, HERE)));
  const { schemas }: { schemas: Schemas } = await read("schemas.json");
  const paths: Paths = await read("paths.json");
  const optional: { schemas: Schemas; paths: Paths } = await read("optional.json");
  return new Map([
    ["generated_types.ts", renderTypes(schemas, optional.schemas, await read("descriptions.json"))],
    ["generated_resources.ts", renderResources({ schemas, paths }, optional)],
  ]);
}

/** The names of those of `files` that are missing or differ from what is written here. */
export async function staleFiles(files: ReadonlyMap<string, string>): Promise<string[]> {
  const stale: string[] = [];
  for (const [name, text] of files) {
    if (await Deno.readTextFile(new URL(name, HERE)).catch(() => undefined) !== text) stale.push(name);
  }
  return stale;
}

if (import.meta.main) {
  const files = await generatedFiles();
  if (Deno.args.includes("--verify")) {
    const stale = await staleFiles(files);
    if (stale.length > 0) throw new Error(`src/api/${stale.join(" and ")} not current: run \`deno task gen\``);
  } else {
    for (const [name, text] of files) await Deno.writeTextFile(new URL(name, HERE), text);
  }
}
